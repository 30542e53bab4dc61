// Updates the what-if simulation while a slider moves. Without a script the form has a button.

import { morph } from "./morph.js";

const DEBOUNCE = 120;

let debounceTimer = 0;
let request = null;

function field(form, name) {
  return form.elements.namedItem(name);
}

function nearestStep(steps, value) {
  const exact = steps.indexOf(value);
  if (exact >= 0) return exact;
  const size = amount(value);
  if (Number.isNaN(size)) return 0;
  const above = steps.findIndex((step) => amount(step) >= size);
  return above < 0 ? steps.length - 1 : above;
}

const UNITS = { "": 1, ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 };

// The size of a value, to position its slider.
function amount(text) {
  const found = /^([\d.]+)\s*(ms|s|m|h|d)?$/.exec(text.trim());
  return found ? Number(found[1]) * UNITS[found[2] ?? ""] : Number.NaN;
}

function positionSliders(form) {
  for (const slider of form.querySelectorAll("[data-steps]")) {
    const steps = slider.dataset.steps.split(" ");
    const value = field(form, slider.dataset.sliderFor).value;
    slider.value = nearestStep(steps, value);
    slider.setAttribute("aria-valuetext", value);
    slider.hidden = false;
  }
}

function applySlider(form, slider) {
  const value = slider.dataset.steps.split(" ")[Number(slider.value)];
  field(form, slider.dataset.sliderFor).value = value;
  slider.setAttribute("aria-valuetext", value);
}

// The URL contains only values that differ from the current ones.
function formUrl(form) {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    const now = field(form, name).closest("[data-now]")?.dataset.now;
    if (value.trim() !== "" && value.trim() !== now) url.searchParams.set(name, value.trim());
  }
  return url;
}

function markInvalid(form, result) {
  const invalid = new Set([...result.querySelectorAll("[data-invalid]")].map((it) => it.dataset.invalid));
  for (const input of form.querySelectorAll("input[name]")) {
    if (invalid.has(input.name)) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
  for (const problem of form.querySelectorAll(".problem")) problem.remove();
}

async function simulate(form) {
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  const url = formUrl(form);
  const result = document.getElementById("what-if-result");
  result.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url, { headers: { "X-Steadfast-Partial": "1" }, signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("what-if-result");
    if (!fresh || signal.aborted) return;
    morph(result, fresh);
    markInvalid(form, result);
    // A reload shows the same simulation.
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
  positionSliders(form);
  form.addEventListener("input", (event) => {
    if (event.target.dataset.steps) applySlider(form, event.target);
    else positionSliders(form);
    clearTimeout(debounceTimer);
    debounceTimer = setTimeout(simulate, DEBOUNCE, form);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(debounceTimer);
    simulate(form);
  });
  // Unedited fields may have followed a change of the policy.
  document.addEventListener("changed", () => positionSliders(form));
}
