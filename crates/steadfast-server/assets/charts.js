// Chart tooltips without the delay of the browser's own.

export function charts() {
  const tooltip = document.createElement("p");
  tooltip.className = "tooltip";
  tooltip.hidden = true;
  document.body.append(tooltip);
  document.addEventListener("pointermove", (event) => {
    const value = event.target.closest?.(".sd-values > *");
    const text = value?.querySelector("title")?.textContent ?? value?.dataset.tooltip;
    tooltip.hidden = !text;
    if (!text) return;
    // Otherwise the browser would show its own tooltip as well.
    if (!value.dataset.tooltip) {
      value.dataset.tooltip = text;
      value.querySelector("title")?.remove();
    }
    tooltip.textContent = text;
    position(tooltip, event);
  });
}

function position(tooltip, event) {
  const maxLeft = innerWidth - tooltip.offsetWidth - 8;
  // The content security policy allows styles set by a script, but not inline in the markup.
  tooltip.style.left = `${Math.max(8, Math.min(event.clientX + 12, maxLeft))}px`;
  tooltip.style.top = `${Math.max(8, event.clientY - tooltip.offsetHeight - 12)}px`;
}
