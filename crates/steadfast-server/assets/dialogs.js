// Asks before something is destroyed. Without a script the form is sent as it is, and what it
// does can be undone where the page says so.

function ask(form, button) {
  const dialog = document.createElement("dialog");
  dialog.className = "confirm";
  const question = document.createElement("p");
  question.textContent = button.dataset.confirm;
  const ways = document.createElement("div");
  ways.className = "ways";
  const no = document.createElement("button");
  no.className = "button";
  no.textContent = button.dataset.no ?? "Go back";
  const yes = document.createElement("button");
  yes.className = "button danger";
  yes.textContent = button.dataset.yes ?? button.textContent.trim();
  ways.append(no, yes);
  dialog.append(question, ways);
  dialog.setAttribute("aria-label", button.dataset.confirm);
  no.addEventListener("click", () => dialog.close());
  yes.addEventListener("click", () => {
    dialog.close();
    button.dataset.confirmed = "yes";
    form.requestSubmit(button);
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    button.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

// Escape and a click elsewhere close what was opened over a page.
function closeMenus(isLeft, target) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    const isWithin = menu.contains(target);
    if (isLeft && isWithin) continue;
    menu.open = false;
    if (isWithin) menu.querySelector("summary").focus();
  }
}

export function dialogs() {
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button?.dataset.confirm || button.dataset.confirmed) {
      delete button?.dataset.confirmed;
      return;
    }
    event.preventDefault();
    ask(event.target, button);
  });
  // A dialog is left by a click beside it.
  document.addEventListener("click", (event) => {
    if (event.target instanceof HTMLDialogElement) event.target.close();
    closeMenus(true, event.target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenus(false, event.target);
  });
}
