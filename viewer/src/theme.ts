// SPDX-License-Identifier: MIT
// Light and dark: the system's setting, or the switch. The colours are in style.css, so that the
// pictures have the same.

export interface Colours {
  background: string;
  panel: string;
  text: string;
  quiet: string;
  faint: string;
  bar: string;
  barText: string;
  weak: string;
  weakText: string;
  done: string;
  doneText: string;
  culprit: string;
  culpritText: string;
  match: string;
  cursor: string;
  note: string;
}

export type Theme = "auto" | "light" | "dark";

export function setTheme(theme: Theme): void {
  const dark = theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

export function isDark(): boolean {
  return document.documentElement.dataset.theme === "dark";
}

export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    background: get("background"),
    panel: get("panel"),
    text: get("text"),
    quiet: get("quiet"),
    faint: get("faint"),
    bar: get("bar"),
    barText: get("bar-text"),
    weak: get("weak"),
    weakText: get("weak-text"),
    done: get("done"),
    doneText: get("done-text"),
    culprit: get("culprit"),
    culpritText: get("culprit-text"),
    match: get("match"),
    cursor: get("cursor"),
    note: get("note"),
  };
}
