// Confirmation dialogs. Without a script the form is submitted directly.

function confirm(form, button) {
  const dialog = document.createElement("dialog");
  dialog.className = "confirm";
  const question = document.createElement("p");
  question.textContent = button.dataset.confirm;
  const buttons = document.createElement("div");
  buttons.className = "buttons";
  const no = document.createElement("button");
  no.className = "button";
  no.textContent = button.dataset.no ?? "Go back";
  const yes = document.createElement("button");
  yes.className = "button danger";
  yes.textContent = button.dataset.yes ?? button.textContent.trim();
  buttons.append(no, yes);
  dialog.append(question, buttons);
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

// Closes open menus on Escape and on a click outside them.
function closeMenus(isClick, target) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    const isInside = menu.contains(target);
    if (isClick && isInside) continue;
    menu.open = false;
    if (isInside) menu.querySelector("summary").focus();
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
    confirm(event.target, button);
  });
  // A click on the backdrop closes a dialog.
  document.addEventListener("click", (event) => {
    if (event.target instanceof HTMLDialogElement) event.target.close();
    closeMenus(true, event.target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenus(false, event.target);
  });
}
