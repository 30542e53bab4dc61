// Updates unedited fields of a form that live updates otherwise leave alone.
//
// `data-now` holds the current value of a field on the server. When it changes, a field that the user
// has not edited follows it; otherwise the form would show, and submit, an outdated value.

function field(container) {
  return container?.querySelector("[name]");
}

// An empty value and the current value count as unedited.
function isEdited(container) {
  const value = field(container).value.trim();
  return value !== "" && value !== container.dataset.now;
}

export function syncForm(old, fresh) {
  for (const wanted of fresh.querySelectorAll("[data-now]")) {
    const { name } = field(wanted);
    const container = old.querySelector(`[name="${name}"]`)?.closest("[data-now]");
    if (!container || container.dataset.now === wanted.dataset.now) continue;
    const value = isEdited(container) ? field(container).value : wanted.dataset.now;
    container.dataset.now = wanted.dataset.now;
    if (field(container).options) field(container).replaceChildren(...field(wanted).children);
    field(container).value = value;
  }
}
