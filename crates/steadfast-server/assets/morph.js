// Applies new markup to the page and leaves unchanged nodes alone, so that focus, scroll position,
// input and open details survive.

import { syncForm } from "./form_sync.js";

// Attributes that the user or a script sets.
const LOCAL_ATTRIBUTES = new Set(["open", "hidden", "tabindex"]);

function isSame(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && old.id === fresh.id;
}

function attributes(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (!LOCAL_ATTRIBUTES.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!LOCAL_ATTRIBUTES.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
}

function children(old, fresh) {
  let current = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    let found = current;
    // Elements with an id are matched by it, so that a new first row does not change all rows.
    if (wanted.id) {
      while (found && found.id !== wanted.id) found = found.nextSibling;
    }
    if (!found || !isSame(found, wanted)) {
      old.insertBefore(wanted, current);
      continue;
    }
    if (found === current) current = current.nextSibling;
    else old.insertBefore(found, current);
    morph(found, wanted);
  }
  while (current) {
    const removed = current;
    current = current.nextSibling;
    removed.remove();
  }
}

export function morph(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  // A form keeps its input; only its current values are updated.
  if (old.hasAttribute("data-preserve")) return syncForm(old, fresh);
  attributes(old, fresh);
  children(old, fresh);
}
