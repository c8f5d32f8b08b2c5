// SPDX-License-Identifier: MIT
// A list that is stepped through: an order of operations, an interleaving, a trace.
import { fill, h } from "./dom";

/// Long lists are shown around the current step.
const SHOWN = 400;

export abstract class Walk {
  readonly element: HTMLElement;
  at: number | null = null;
  protected readonly list = h("div", { class: "walk-list", role: "listbox", tabindex: 0 });
  protected readonly side = h("div", { class: "walk-side" });

  constructor(readonly title: string, private readonly moved: () => void) {
    this.list.setAttribute("aria-label", title);
    const button = (label: string, key: string, go: () => void) =>
      h("button", { click: go, title: `${label} (${key})`, "aria-label": label }, key);
    this.element = h("div", { class: "walk" },
      h("div", { class: "walk-bar" },
        button("to the beginning", "{", () => this.go(0)),
        button("previous step", "[", () => this.step(-1)),
        button("next step", "]", () => this.step(1)),
        button("to the end", "}", () => this.go(this.last)),
        this.says),
      h("div", { class: "walk-body" }, this.list, this.side));
  }
  protected readonly says = h("span", { class: "quiet", "aria-live": "polite" });

  /// The last step.
  abstract readonly last: number;
  protected abstract row(i: number): HTMLElement;
  /// The columns.
  protected head(): HTMLElement | null {
    return null;
  }
  protected abstract showSide(): void;
  protected abstract position(): string;

  step(by: number): void {
    this.go(this.at === null ? (by > 0 ? 0 : this.last) : this.at + by);
  }
  go(to: number | null): void {
    this.at = to === null ? null : Math.max(0, Math.min(this.last, to));
    this.update();
    this.moved();
  }
  update(): void {
    const at = this.at ?? 0;
    const from = Math.max(0, Math.min(at - SHOWN / 2, this.last + 1 - SHOWN));
    const to = Math.min(this.last + 1, from + SHOWN);
    const rows: HTMLElement[] = [];
    const head = this.head();
    if (head) rows.push(head);
    if (from > 0) rows.push(h("div", { class: "quiet more" }, `… ${from} before`));
    for (let i = from; i < to; ++i) {
      const row = this.row(i);
      row.classList.add("walk-row");
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(i === this.at));
      row.addEventListener("click", () => this.go(i));
      rows.push(row);
    }
    if (to <= this.last) rows.push(h("div", { class: "quiet more" }, `… ${this.last + 1 - to} more`));
    fill(this.list, ...rows);
    fill(this.says, this.position());
    this.showSide();
    const now = this.list.querySelector<HTMLElement>('[aria-selected="true"]');
    if (now) {
      const top = now.offsetTop - this.list.offsetTop;
      if (top < this.list.scrollTop) this.list.scrollTop = top;
      else if (top + now.offsetHeight > this.list.scrollTop + this.list.clientHeight)
        this.list.scrollTop = top + now.offsetHeight - this.list.clientHeight;
    }
  }
}
