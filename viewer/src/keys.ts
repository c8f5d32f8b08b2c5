// SPDX-License-Identifier: MIT
// The keyboard: one table, from which the help is made.
import { h } from "./dom";

export interface Key {
  keys: string[];
  does: string;
  run: (e: KeyboardEvent) => void;
}

export function listen(keys: Key[]): void {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    const target = e.target as HTMLElement;
    const types = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
    if (types && e.key !== "Escape") return;
    if (e.key.startsWith("Arrow") && target.closest(".why, .pad, .walk-side")) return; // it scrolls
    const key = keys.find((k) => k.keys.includes(e.key));
    if (!key) return;
    if (target instanceof HTMLButtonElement && (e.key === "Enter" || e.key === " ")) return;
    e.preventDefault();
    key.run(e);
  });
}

const NAMES: { [key: string]: string } = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc",
};

export function helpDialog(keys: Key[]): HTMLDialogElement {
  const dialog: HTMLDialogElement = h("dialog", { class: "help", "aria-label": "Keyboard" },
    h("h2", {}, "Keyboard"),
    h("table", {}, h("tbody", {}, ...keys.map((k) =>
      h("tr", {}, h("th", { scope: "row" }, ...k.keys.map((key) => h("kbd", {}, NAMES[key] ?? key))), h("td", {}, k.does))))),
    h("p", { class: "quiet" }, "With the mouse: the wheel zooms, with Shift it scrolls sideways; drag to pan; click an operation to select it."),
    h("button", { click: () => dialog.close() }, "Close"));
  return dialog;
}
