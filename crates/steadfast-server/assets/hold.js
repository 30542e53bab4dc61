// Holds a page still while somebody is at a row that a newer one would push away: what moves under
// the pointer is missed, and what moves under the eyes is read twice. A button holds it for as long
// as one likes.

const LISTS = ".tasks, .events, .audit, .sessions, .failures";
const ROWS = `main :is(:is(${LISTS}) [data-row], [data-row][id^="execution-"])`;
const RESTS = 30_000; // who has left leaves the pointer where it was

let moved = -Infinity;
let resting = 0;
let wasHeld = false;

const tell = () => document.dispatchEvent(new Event("hold"));

// A finger leaves no pointer behind.
function isPointedAt() {
  const hasPointer = matchMedia("(hover: hover)").matches;
  return hasPointer && performance.now() - moved < RESTS && document.querySelector(`${ROWS}:hover`) !== null;
}

export function isHeld() {
  return (
    document.querySelector(`${ROWS}:is(:focus-visible, :has(:focus-visible))`) !== null ||
    document.querySelector("[data-holds][aria-pressed='true']") !== null ||
    isPointedAt()
  );
}

// Tells whether a page is held, whenever that changes.
export function whenHeld(told) {
  document.addEventListener("hold", () => {
    if (isHeld() === wasHeld) return;
    wasHeld = !wasHeld;
    told(wasHeld);
  });
}

function press(button) {
  const isPressed = button.getAttribute("aria-pressed") !== "true";
  document.getElementById(button.dataset.holds).toggleAttribute("data-still", isPressed);
  button.setAttribute("aria-pressed", String(isPressed));
  button.textContent = isPressed ? "Go on" : "Pause";
  tell();
}

function point() {
  moved = performance.now();
  clearTimeout(resting);
  resting = setTimeout(tell, RESTS);
  tell();
}

function unhide() {
  for (const button of document.querySelectorAll("[data-holds][hidden]")) button.hidden = false;
}

export function holding() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-holds]");
    if (button) press(button);
  });
  document.addEventListener("pointermove", point);
  document.documentElement.addEventListener("pointerleave", () => setTimeout(tell));
  document.addEventListener("focusin", tell);
  document.addEventListener("focusout", () => setTimeout(tell));
  document.addEventListener("changed", unhide);
  unhide();
}
