// Pauses live updates while a row is under the pointer or focused, so that new rows do not move it
// away, and while a pause button is pressed.

const LISTS = ".tasks, .events, .audit, .sessions, .failures";
const ROWS = `main :is(:is(${LISTS}) [data-row], [data-row][id^="execution-"])`;
const POINTER_TIMEOUT = 30_000; // an idle pointer stops pausing

let lastMove = -Infinity;
let idleTimer = 0;
let wasPaused = false;

const notify = () => document.dispatchEvent(new Event("pausechange"));

// Touch screens have no pointer to hover with.
function isHovered() {
  const hasPointer = matchMedia("(hover: hover)").matches;
  const isRecent = performance.now() - lastMove < POINTER_TIMEOUT;
  return hasPointer && isRecent && document.querySelector(`${ROWS}:hover`) !== null;
}

export function isPaused() {
  return (
    document.querySelector(`${ROWS}:is(:focus-visible, :has(:focus-visible))`) !== null ||
    document.querySelector("[data-pauses][aria-pressed='true']") !== null ||
    isHovered()
  );
}

// Calls back whenever updates are paused or resumed.
export function onPauseChange(callback) {
  document.addEventListener("pausechange", () => {
    if (isPaused() === wasPaused) return;
    wasPaused = !wasPaused;
    callback(wasPaused);
  });
}

function toggle(button) {
  const isPressed = button.getAttribute("aria-pressed") !== "true";
  document.getElementById(button.dataset.pauses).toggleAttribute("data-no-refresh", isPressed);
  button.setAttribute("aria-pressed", String(isPressed));
  button.textContent = isPressed ? "Resume" : "Pause";
  notify();
}

function pointerMoved() {
  lastMove = performance.now();
  clearTimeout(idleTimer);
  idleTimer = setTimeout(notify, POINTER_TIMEOUT);
  notify();
}

function unhide() {
  for (const button of document.querySelectorAll("[data-pauses][hidden]")) button.hidden = false;
}

export function pause() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-pauses]");
    if (button) toggle(button);
  });
  document.addEventListener("pointermove", pointerMoved);
  document.documentElement.addEventListener("pointerleave", () => setTimeout(notify));
  document.addEventListener("focusin", notify);
  document.addEventListener("focusout", () => setTimeout(notify));
  document.addEventListener("changed", unhide);
  unhide();
}
