// Puts new markup in the place of old, and leaves alone what did not change: whoever reads,
// types, scrolls or has opened something is not disturbed.

import { catchUp } from "./now.js";

// What belongs to the reader and not to the page.
const READERS = new Set(["open", "hidden", "tabindex"]);

function isSame(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && old.id === fresh.id;
}

function attributes(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (!READERS.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!READERS.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
}

function children(old, fresh) {
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    let found = place;
    // Something with a name is looked for, so that a new first row does not change all of them.
    if (wanted.id) {
      while (found && found.id !== wanted.id) found = found.nextSibling;
    }
    if (!found || !isSame(found, wanted)) {
      old.insertBefore(wanted, place);
      continue;
    }
    if (found === place) place = place.nextSibling;
    else old.insertBefore(found, place);
    morph(found, wanted);
  }
  while (place) {
    const gone = place;
    place = place.nextSibling;
    gone.remove();
  }
}

export function morph(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  // What is being filled in stays as it is, but for what holds now.
  if (old.hasAttribute("data-keep")) return catchUp(old, fresh);
  attributes(old, fresh);
  children(old, fresh);
}
