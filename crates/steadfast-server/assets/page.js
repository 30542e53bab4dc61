// Entry point of the scripts.

import { charts } from "./charts.js";
import { dialogs } from "./dialogs.js";
import { live } from "./live.js";
import { pause } from "./pause.js";
import { shortcuts } from "./shortcuts.js";
import { tick } from "./times.js";
import { whatIf } from "./whatif.js";

const theme = document.getElementById("theme");

function toggleTheme() {
  const root = document.documentElement;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const current = root.dataset.theme ?? (isDark ? "dark" : "light");
  root.dataset.theme = current === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // Without storage the theme applies to this page only.
  }
}

export function toast(text) {
  const container = document.getElementById("toasts");
  const message = document.createElement("p");
  message.textContent = text;
  container.replaceChildren(message);
  setTimeout(() => message.remove(), 4000);
}

// Inserts the flash message again so that screen readers announce it, and moves the focus to the
// content.
function announceFlash() {
  const flash = document.querySelector("#toasts p");
  if (!flash) return;
  toast(flash.textContent);
  if (document.activeElement === document.body) document.getElementById("main").focus({ preventScroll: true });
}

// Copies the code beside the button.
async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
    toast("Copied");
  } catch {
    toast("Copying failed: select the text and copy it manually");
  }
}

// Scrolls the current section or tab into view on narrow screens.
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
announceFlash();
tick();
shortcuts();
dialogs();
charts();
whatIf();
pause();
live();
