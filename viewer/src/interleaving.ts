// SPDX-License-Identifier: MIT
// The steps of a program's threads, in the order in which they were scheduled.
import { fill, foreign, h } from "./dom";
import { moments } from "./history";
import { baseName, Extras, ThreadStep } from "./report";
import { excerpt } from "./source";
import { Walk } from "./walk";

export function threadName(step: ThreadStep): string {
  return step.process ?? `thread ${step.thread}`;
}

export class Interleaving extends Walk {
  readonly last: number;
  readonly rows: string[];
  readonly moments: Float64Array;
  private readonly threads: string[];
  private readonly oneFile: boolean;

  constructor(readonly steps: ThreadStep[], private readonly extras: Extras, ownEvents: boolean, moved: () => void) {
    super("Interleaving", moved);
    this.last = steps.length - 1;
    this.rows = steps.map(threadName);
    this.threads = [...new Set(this.rows)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    this.oneFile = new Set(steps.flatMap((s) => s.file ?? [])).size < 2;
    // Without operations each step is an event (history.ts).
    this.moments = ownEvents
      ? Float64Array.from(steps, (_, i) => 2 * i + 1)
      : moments(steps.map((s) => s.events ?? 0), steps.map(() => false));
    this.list.classList.add("threads");
    this.update();
  }
  protected position(): string {
    const switches = this.rows.filter((name, i) => i > 0 && name !== this.rows[i - 1]).length;
    const all = `${this.last + 1} steps, ${switches} switches`;
    return this.at === null ? all : `step ${this.at + 1} of ${all}`;
  }
  isSwitch(i: number): boolean {
    return i > 0 && this.rows[i] !== this.rows[i - 1];
  }
  protected row(i: number): HTMLElement {
    const step = this.steps[i];
    const cells = this.threads.map((name) =>
      h("span", { class: "cell" },
        name === this.rows[i] && foreign(step.what ?? "continues"),
        name === this.rows[i] && step.file ? h("span", { class: "quiet" }, ` ${this.oneFile ? "line " : `${baseName(step.file)}:`}${step.line}`) : null));
    return h("div", { class: this.isSwitch(i) ? "switch" : "", title: this.isSwitch(i) ? `switch to ${this.rows[i]}` : null },
      h("span", { class: "number" }, this.isSwitch(i) ? `▸ ${i + 1}` : String(i + 1)), ...cells);
  }
  protected head(): HTMLElement {
    return h("div", { class: "walk-head" }, h("span", { class: "number" }), ...this.threads.map((name) => h("span", { class: "cell" }, foreign(name, ""))));
  }
  protected showSide(): void {
    const step = this.steps[this.at ?? this.last];
    if (!step) return;
    fill(this.side,
      h("h3", {}, threadName(step)),
      h("p", {}, foreign(step.what ?? "continues")),
      h("p", { class: "quiet" }, [step.function && `in ${step.function}`, step.order && `memory order ${step.order}`].filter(Boolean).join(" · ")),
      excerpt(this.extras, step.file, step.line));
  }
}
