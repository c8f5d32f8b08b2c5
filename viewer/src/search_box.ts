// SPDX-License-Identifier: MIT
// The field that marks operations, and selects one after the other.
import { fill, h } from "./dom";
import { nextMatch, search } from "./find";
import { History } from "./history";
import { count } from "./report";
import { Timeline } from "./timeline";

export class SearchBox {
  readonly input = h("input", { type: "search", placeholder: "Search operations", "aria-label": "Search operations", spellcheck: "false" });
  readonly regex = h("input", { type: "checkbox", id: "regex" });
  private readonly found = h("span", { class: "quiet found", "aria-live": "polite" });
  readonly element = h("div", { class: "search" }, this.input,
    h("label", { for: "regex", title: "a regular expression" }, this.regex, "regex"), this.found);

  constructor(private readonly history: History | null, private readonly timeline: Timeline, private readonly select: (op: number) => void) {
    this.input.addEventListener("input", () => this.search(true));
    this.regex.addEventListener("change", () => this.search(true));
    this.input.addEventListener("keydown", (e) => {
      if (e.key === "Enter") this.next(e.shiftKey);
    });
  }
  clear(): void {
    this.input.value = "";
    this.search(false);
  }
  search(andGo: boolean): void {
    if (!this.history) return;
    const text = this.input.value;
    const { marks, layout } = this.timeline;
    marks.matches = text ? search(this.history, text, this.regex.checked) : null;
    this.input.classList.toggle("wrong", text !== "" && marks.matches === null);
    let n = 0;
    if (marks.matches) for (const op of layout.ops) n += marks.matches[this.history.label[op]];
    fill(this.found, text === "" ? "" : marks.matches === null ? "not a regular expression" : n === 0 ? "nothing found" : `${count(n)} found`);
    if (andGo && n > 0 && !this.isAtMatch()) this.next(false);
    this.timeline.moved();
  }
  next(back: boolean): void {
    const { marks, layout } = this.timeline;
    if (!marks.matches || !this.history) return;
    const op = nextMatch(this.history, layout.ops, marks.matches, this.selected(), back);
    if (op !== null) this.select(op);
  }
  private selected(): number | null {
    const { selected } = this.timeline.marks;
    return selected !== null && this.timeline.layout.shows(selected) ? selected : null;
  }
  private isAtMatch(): boolean {
    const op = this.selected();
    return op !== null && this.timeline.marks.matches![this.history!.label[op]] === 1;
  }
}
