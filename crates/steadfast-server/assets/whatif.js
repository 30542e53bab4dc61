// Shows at once what follows while something is moved. Without it the form is sent by its button.

import { morph } from "./morph.js";

const PAUSE = 120; // nobody wants what was passed on the way

let waiting = 0;
let asking = null;

function field(form, name) {
  return form.elements.namedItem(name);
}

function nearest(steps, value) {
  const exact = steps.indexOf(value);
  if (exact >= 0) return exact;
  const size = amount(value);
  if (Number.isNaN(size)) return 0;
  const above = steps.findIndex((step) => amount(step) >= size);
  return above < 0 ? steps.length - 1 : above;
}

const UNITS = { "": 1, ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 };

// How much a value is, roughly: a slider has to be put somewhere near it.
function amount(text) {
  const found = /^([\d.]+)\s*(ms|s|m|h|d)?$/.exec(text.trim());
  return found ? Number(found[1]) * UNITS[found[2] ?? ""] : Number.NaN;
}

function settle(form) {
  for (const slider of form.querySelectorAll("[data-steps]")) {
    const steps = slider.dataset.steps.split(" ");
    const value = field(form, slider.dataset.moves).value;
    slider.value = nearest(steps, value);
    slider.setAttribute("aria-valuetext", value);
    slider.hidden = false;
  }
}

function moved(form, slider) {
  const value = slider.dataset.steps.split(" ")[Number(slider.value)];
  field(form, slider.dataset.moves).value = value;
  slider.setAttribute("aria-valuetext", value);
}

// Only what differs from now stands in the address.
function address(form) {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    const now = field(form, name).closest("[data-now]")?.dataset.now;
    if (value.trim() !== "" && value.trim() !== now) url.searchParams.set(name, value.trim());
  }
  return url;
}

function mark(form, result) {
  const wrong = new Set([...result.querySelectorAll("[data-wrong]")].map((it) => it.dataset.wrong));
  for (const input of form.querySelectorAll("input[name]")) {
    if (wrong.has(input.name)) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
  for (const problem of form.querySelectorAll(".problem")) problem.remove();
}

async function ask(form) {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  const url = address(form);
  const result = document.getElementById("what-if-result");
  result.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url, { headers: { "X-Steadfast-Inside": "1" }, signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("what-if-result");
    if (!fresh || signal.aborted) return;
    morph(result, fresh);
    mark(form, result);
    // Going on from here, or reloading, is where one was.
    history.replaceState(history.state, "", url);
    document.dispatchEvent(new Event("changed"));
  } catch (error) {
    if (error.name === "AbortError") return;
  }
  result.removeAttribute("aria-busy");
}

export function whatIf() {
  const form = document.querySelector("form[data-what-if]");
  if (!form) return;
  settle(form);
  form.addEventListener("input", (event) => {
    if (event.target.dataset.steps) moved(form, event.target);
    else settle(form);
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE, form);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    ask(form);
  });
  // Fields that nobody moved may have been moved along with the policy.
  document.addEventListener("changed", () => settle(form));
}
