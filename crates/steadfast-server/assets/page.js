// What a page can do with a script that it cannot do without one.

import { charts } from "./charts.js";
import { dialogs } from "./dialogs.js";
import { holding } from "./hold.js";
import { keys } from "./keys.js";
import { live } from "./live.js";
import { tick } from "./times.js";
import { whatIf } from "./whatif.js";

const theme = document.getElementById("theme");

function toggleTheme() {
  const root = document.documentElement;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const shown = root.dataset.theme ?? (isDark ? "dark" : "light");
  root.dataset.theme = shown === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // It holds for this page then.
  }
}

export function toast(text) {
  const place = document.getElementById("toasts");
  const said = document.createElement("p");
  said.textContent = text;
  place.replaceChildren(said);
  setTimeout(() => said.remove(), 4000);
}

// What was just done stands there already; put there anew, it is read aloud. Whoever did it goes on
// from the content, and not from the top of the frame.
function tellWhatWasDone() {
  const done = document.querySelector("#toasts p");
  if (!done) return;
  toast(done.textContent);
  if (document.activeElement === document.body) document.getElementById("main").focus({ preventScroll: true });
}

// A button copies what stands beside it.
async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
    toast("Copied");
  } catch {
    toast("The browser did not allow it; select and copy the text");
  }
}

// On a phone not all sections and tabs have room: where one is should be seen.
function centre(link) {
  const strip = link.closest("ul, .tabs");
  strip.scrollLeft = link.offsetLeft - (strip.clientWidth - link.offsetWidth) / 2;
}

function unhide() {
  for (const hidden of document.querySelectorAll("[data-copy][hidden]")) hidden.hidden = false;
}

document.querySelectorAll(".navigation [aria-current], .tabs [aria-current]").forEach(centre);
theme.hidden = false;
theme.addEventListener("click", toggleTheme);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});
document.addEventListener("changed", unhide);

unhide();
tellWhatWasDone();
tick();
keys();
dialogs();
charts();
whatIf();
holding();
live();
