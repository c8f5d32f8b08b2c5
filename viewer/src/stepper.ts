// SPDX-License-Identifier: MIT
// Through an order of operations: the witness of a history that holds, or the longest partial
// linearization of one that does not, with the specification's state after each step.
import { Steps } from "./decode";
import { foreign, h, fill } from "./dom";
import { before, History, NONE, print } from "./history";
import { count, elide } from "./report";
import { Walk } from "./walk";

export class Stepper extends Walk {
  readonly last: number;
  private readonly place = new Map<number, number>();
  private readonly universe: number[] | null; // null: all operations

  constructor(private readonly history: History, readonly steps: Steps, moved: () => void) {
    super(steps.kind === "witness" ? "Witness" : "Longest order", moved);
    this.universe = steps.of.length > 0 ? steps.of : null;
    this.last = steps.steps.length; // step k: k operations have taken effect
    steps.steps.forEach(([op], i) => this.place.set(op, i));
    this.update();
  }

  protected position(): string {
    if (this.at !== null) return `${this.at} of ${count(this.last, "operation")} took effect`;
    return this.steps.kind === "witness"
      ? "An order that explains every result" + this.only()
      : this.last === 0
        ? "No operation can come first"
        : "The longest partial linearization" + (this.steps.exhaustive ? "" : " that was found");
  }
  private only(): string {
    return this.steps.total > this.last ? `: the first ${count(this.last)} of ${count(this.steps.total)} steps` : "";
  }
  stateAt(k: number): string {
    return k === 0 ? this.steps.initial : this.steps.steps[k - 1][1];
  }
  /// The operations linearized at the step, and their places; null: not stepping.
  order(): Map<number, number> | null {
    if (this.at === null) return null;
    return new Map(this.steps.steps.slice(0, this.at).map(([op], i) => [op, i]));
  }
  next(): number | null {
    return this.at === null ? null : this.steps.steps[this.at]?.[0] ?? null;
  }

  protected row(i: number): HTMLElement {
    const state = h("span", { class: "state" }, foreign(this.stateAt(i)));
    if (i === 0) return h("div", {}, h("span", { class: "number" }, "0"), h("span", { class: "quiet" }, "at the start"), state);
    const op = this.steps.steps[i - 1][0];
    return h("div", {}, h("span", { class: "number" }, String(i)), foreign(elide(print(this.history, op), 120)),
      h("span", { class: "quiet who" }, elide(this.who(op), 30)), state);
  }
  private who(op: number): string {
    const name = this.history.processes[this.history.process[op]];
    return /^\d+$/.test(name) ? `process ${name}` : name;
  }

  protected showSide(): void {
    const k = this.at ?? this.last;
    const steps = this.steps;
    if (steps.kind === "witness") {
      const next = steps.steps[k]?.[0];
      const refused = steps.steps[k]?.[2] ?? steps.end;
      fill(this.side,
        h("h3", {}, "State"), h("p", { class: "code" }, foreign(this.stateAt(k))),
        next !== undefined && h("p", {}, "Next: ", foreign(print(this.history, next))),
        ...refused.slice(0, 12).map(([op]) => this.line(op, k)));
      return;
    }
    const rest = (this.universe ?? []).filter((op) => (this.place.get(op) ?? Infinity) >= k);
    fill(this.side,
      h("h3", {}, k === this.last ? "None of the others can come next" : "What could come next"),
      h("p", {}, "State: ", foreign(this.stateAt(k))),
      ...rest.slice(0, 20).map((op) => this.line(op, k)));
  }
  private line(op: number, k: number): HTMLElement {
    return h("p", { class: "reason" }, foreign(print(this.history, op)), " ", this.whyNot(op, k));
  }

  /// Why the operation does not come next, after k steps.
  whyNot(op: number, k = this.at ?? this.last): string {
    const h = this.history;
    const done = (q: number) => (this.place.get(q) ?? Infinity) < k;
    if (this.universe && !this.universe.includes(op)) return "is not among the operations of this order";
    if (done(op)) return `took effect as number ${this.place.get(op)! + 1}`;
    if (this.steps.steps[k]?.[0] === op) return "comes next in this order";
    const size = this.universe ? this.universe.length : h.size;
    for (let i = 0; i < size; ++i) {
      const q = this.universe ? this.universe[i] : i;
      if (!before(h, q, op) || done(q)) continue;
      return `must come after ${print(h, q)}, which returned before it was called`;
    }
    const refused = (this.steps.steps[k]?.[2] ?? this.steps.end).find(([who]) => who === op);
    if (refused && h.ret[op] === NONE && this.steps.kind === "longest")
      return `waits, although it could return ${refused[1]} in the state ${this.stateAt(k)}`;
    if (refused)
      return refused[1] === ""
        ? `cannot return in the state ${this.stateAt(k)}`
        : `could only return ${refused[1]} in the state ${this.stateAt(k)}`;
    if (h.ret[op] === NONE) return "may or may not take effect";
    if (k === this.last && this.steps.total > this.last) return "comes later; this page has only the first steps";
    return this.steps.kind === "witness" ? "could also come next" : "could come next, but gets no farther";
  }
}
