// SPDX-License-Identifier: MIT
// The steps of a model, with its changes, and all variables at the step; for a lasso also the
// steps that repeat forever.
import { fill, foreign, h } from "./dom";
import { isCall, isReturn, moments } from "./history";
import { Evidence, Extras, Json, TraceStep, words } from "./report";
import { excerpt } from "./source";
import { Walk } from "./walk";

const nameOf = (process: Json) => (typeof process === "string" ? process : words(process));
const whose = (process: Json) => (/^\d+$/.test(nameOf(process)) ? `process ${nameOf(process)}` : nameOf(process));

/// Locals have the same name in every process: a variable that once had no value is local.
function locals(steps: TraceStep[]): Set<string> {
  const own = new Set<string>();
  for (const s of steps)
    for (const [variable, [from]] of Object.entries(s.changes ?? {})) if (from === null) own.add(variable);
  return own;
}

export class Trace extends Walk {
  readonly steps: TraceStep[];
  readonly last: number;
  readonly rows: string[];
  readonly moments: Float64Array;
  readonly loopFrom: number | null;
  private readonly own: Set<string>;

  constructor(evidence: Evidence, private readonly file: string, private readonly extras: Extras, moved: () => void) {
    super("Trace", moved);
    const trace = evidence.trace ?? [], loop = evidence.loop ?? [];
    this.steps = [...trace, ...loop];
    this.loopFrom = loop.length > 0 ? trace.length : null;
    this.last = this.steps.length - 1;
    this.rows = this.steps.map((s) => nameOf(s.process));
    const isEvent = this.steps.map((s) => isCall(s) || isReturn(s));
    let events = 0;
    this.moments = moments(isEvent.map((e) => (e ? events++ : events)), isEvent);
    this.own = locals(this.steps);
    this.update();
  }
  protected position(): string {
    const all = `${this.last + 1} steps` + (this.loopFrom === null ? "" : `, the last ${this.last + 1 - this.loopFrom} repeat forever`);
    return this.at === null ? all : `step ${this.at + 1} of ${all}`;
  }
  protected row(i: number): HTMLElement {
    const s = this.steps[i];
    const changes = Object.entries(s.changes ?? {}).map(([variable, [from, to]]) =>
      h("span", { class: "change" }, foreign(variable), from === null ? " = " : ` ${words(from)} → `, foreign(words(to))));
    const repeated = this.loopFrom !== null && i >= this.loopFrom;
    return h("div", { class: (repeated ? "loop " : "") + (i > 0 && this.rows[i] !== this.rows[i - 1] ? "switch" : "") },
      h("span", { class: "number" }, repeated ? "↻" : String(i + 1)), h("span", { class: "who" }, whose(s.process)),
      h("span", { class: "cell" }, foreign(s.step), s.effect ? h("span", { class: "quiet" }, ` takes effect: ${s.effect}`) : null),
      ...changes);
  }
  /// The known values of the variables after the step.
  private state(k: number): { variable: string; value: Json; changed: boolean }[] {
    const values = new Map<string, { variable: string; value: Json; changed: boolean }>();
    this.steps.forEach((s, i) => {
      if (i <= k && isReturn(s))
        for (const variable of this.own) values.delete(`${variable} of ${nameOf(s.process)}`);
      for (const [variable, [from, to]] of Object.entries(s.changes ?? {})) {
        const shown = this.own.has(variable) ? `${variable} of ${nameOf(s.process)}` : variable;
        if (i <= k) values.set(shown, { variable: shown, value: to, changed: i === k });
        else if (!values.has(shown) && from !== null) values.set(shown, { variable: shown, value: from, changed: false });
      }
    });
    return [...values.values()].sort((a, b) => Number(this.own.has(a.variable.split(" ")[0])) - Number(this.own.has(b.variable.split(" ")[0])));
  }
  protected showSide(): void {
    const k = this.at ?? this.last;
    const s = this.steps[k];
    if (!s) return;
    const state = this.state(k);
    fill(this.side,
      h("h3", {}, `After step ${k + 1}`),
      state.length > 0 && h("table", { class: "state-table" }, h("tbody", {},
        ...state.map((v) => h("tr", { class: v.changed ? "changed" : "" }, h("th", { scope: "row" }, foreign(v.variable)), h("td", {}, foreign(words(v.value))))))),
      excerpt(this.extras, this.file, s.line));
  }
}
