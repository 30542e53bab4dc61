// Keyboard shortcuts.

let previousKey = "";

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable]") !== null;
}

function rows() {
  return [...document.querySelectorAll("main [data-row]")];
}

function move(step) {
  const all = rows();
  if (all.length === 0) return;
  const current = all.indexOf(document.activeElement?.closest("[data-row]"));
  const next = current < 0 ? 0 : Math.min(Math.max(current + step, 0), all.length - 1);
  focusTarget(all[next]).focus();
  all[next].scrollIntoView({ block: "nearest" });
}

// The link or summary of a row, or the row itself.
function focusTarget(row) {
  const target = row.querySelector("a, summary");
  if (target) return target;
  row.tabIndex = -1;
  return row;
}

function go(key) {
  document.querySelector(`nav [data-key="${CSS.escape(key)}"]`)?.click();
}

// Viewers have no URL for new tasks.
function newTask() {
  const { new: url } = document.getElementById("shortcuts").dataset;
  if (url) location.href = url;
}

function press(key, event) {
  switch (key) {
    case "/":
      event.preventDefault();
      document.getElementById("search").focus();
      break;
    case "j":
      move(1);
      break;
    case "k":
      move(-1);
      break;
    case "n":
      newTask();
      break;
    case "?":
      document.getElementById("shortcuts").showModal();
      break;
  }
}

export function shortcuts() {
  const open = document.getElementById("shortcuts-open");
  open.hidden = false;
  open.addEventListener("click", () => document.getElementById("shortcuts").showModal());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isTyping(event.target)) event.target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (previousKey === "g") go(event.key);
    else press(event.key, event);
    previousKey = event.key;
    setTimeout(() => (previousKey = ""), 1000);
  });
}
