// What holds now, in a form that somebody fills in.
//
// Such a form is left alone while the page around it changes. But where a field says what holds
// now, a field that nobody moved has to move along: otherwise it would show a value that holds no
// more, and nobody would have said it.

function field(place) {
  return place?.querySelector("[name]");
}

// Nothing, and what holds anyway, is nothing said.
function isMoved(place) {
  const value = field(place).value.trim();
  return value !== "" && value !== place.dataset.now;
}

export function catchUp(old, fresh) {
  for (const wanted of fresh.querySelectorAll("[data-now]")) {
    const { name } = field(wanted);
    const place = old.querySelector(`[name="${name}"]`)?.closest("[data-now]");
    if (!place || place.dataset.now === wanted.dataset.now) continue;
    const value = isMoved(place) ? field(place).value : wanted.dataset.now;
    place.dataset.now = wanted.dataset.now;
    if (field(place).options) field(place).replaceChildren(...field(wanted).children);
    field(place).value = value;
  }
}
