// Holds the page still while somebody reads, and lets it go on.

export function holding() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-holds]");
    if (!button) return;
    const held = document.getElementById(button.dataset.holds);
    const isHeld = held.toggleAttribute("data-still");
    button.setAttribute("aria-pressed", String(isHeld));
    button.textContent = isHeld ? "Go on" : "Pause";
  });
  unhide();
  document.addEventListener("changed", unhide);
}

function unhide() {
  for (const button of document.querySelectorAll("[data-holds][hidden]")) button.hidden = false;
}
