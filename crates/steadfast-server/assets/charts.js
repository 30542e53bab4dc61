// Shows the value under the pointer at once: a browser's own hint takes its time.


export function charts() {
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.hidden = true;
  document.body.append(hint);
  document.addEventListener("pointermove", (event) => {
    const value = event.target.closest?.(".sd-values > *");
    const text = value?.querySelector("title")?.textContent ?? value?.dataset.reading;
    hint.hidden = !text;
    if (!text) return;
    // The browser would show it a second time.
    if (!value.dataset.reading) {
      value.dataset.reading = text;
      value.querySelector("title")?.remove();
    }
    hint.textContent = text;
    place(hint, event);
  });
}

function place(hint, event) {
  const room = innerWidth - hint.offsetWidth - 8;
  // The style of an element is the script's to set; only styles in the markup are forbidden.
  hint.style.left = `${Math.max(8, Math.min(event.clientX + 12, room))}px`;
  hint.style.top = `${Math.max(8, event.clientY - hint.offsetHeight - 12)}px`;
}
