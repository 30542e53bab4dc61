// Going about with the keyboard alone.

let before = "";

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable]") !== null;
}

function rows() {
  return [...document.querySelectorAll("main [data-row]")];
}

function move(step) {
  const all = rows();
  if (all.length === 0) return;
  const at = all.indexOf(document.activeElement?.closest("[data-row]"));
  const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1);
  place(all[next]).focus();
  all[next].scrollIntoView({ block: "nearest" });
}

// What Enter opens in a row; the row itself if there is nothing to open.
function place(row) {
  const opens = row.querySelector("a, summary");
  if (opens) return opens;
  row.tabIndex = -1;
  return row;
}

function go(key) {
  document.querySelector(`nav [data-key="${CSS.escape(key)}"]`)?.click();
}

// Those who may only look are not told where.
function make() {
  const { new: there } = document.getElementById("keys").dataset;
  if (there) location.href = there;
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
      make();
      break;
    case "?":
      document.getElementById("keys").showModal();
      break;
  }
}

export function keys() {
  const open = document.getElementById("keys-open");
  open.hidden = false;
  open.addEventListener("click", () => document.getElementById("keys").showModal());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isTyping(event.target)) event.target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (before === "g") go(event.key);
    else press(event.key, event);
    before = event.key;
    setTimeout(() => (before = ""), 1000);
  });
}
