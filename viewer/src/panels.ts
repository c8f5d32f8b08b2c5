// SPDX-License-Identifier: MIT
// The words and tables beside the picture.
import { fill, foreign, h } from "./dom";
import { History, NONE, print } from "./history";
import { callWords, count, Failure, Finding, NamedOperation, Partition, Quasi, Report, words } from "./report";
import { Timeline } from "./timeline";

const FINDINGS: { [kind: string]: string } = {
  assertion: "an assertion fails", exception: "an exception leaves its thread", crash: "it crashes",
  race: "a data race", "use-after-free": "memory is used after it was freed", "double-free": "memory is freed twice",
  "bad-free": "invalid free", "out-of-bounds": "an access out of bounds",
  deadlock: "deadlock", livelock: "livelock", leak: "memory is never freed", misuse: "a lock is misused",
  divergence: "the same schedule gave another execution",
};
const FAILURES: { [kind: string]: string } = {
  "not-linearizable": "no serial order explains this history",
  blocked: "an operation waits, although it blocks in no serial order",
  nondeterministic: "the same serial calls have different results",
};

export function headline(r: Report, finding: Finding | null, failure: Failure | null): string {
  if (r.verdict === "undecided") return r.reason ?? "undecided";
  if (finding) return FINDINGS[finding.kind] ?? finding.kind;
  if (failure) return FAILURES[failure.kind] ?? failure.kind;
  if (r.verdict === "violation" && r.property.startsWith("returns:")) return `${r.property.slice(8)}() does not always return`;
  if (isFault(r)) return "a fault";
  const stuck = r.evidence.kind === "counterexample" && (r.evidence.waiting ?? []).length > 0 ? ": it gets stuck" : "";
  const asked = r.property === "explored" || r.property === "simulated" ? r.property : adjective(r);
  if (r.verdict === "violation") return r.property === "explored" ? "a fault was found" : `not ${asked}${stuck}`;
  return r.property === "explored" ? "no fault was found" : asked;
}
/// A step of a model fails, independent of the results.
export function isFault(r: Report): boolean {
  return r.command === "verify" && r.evidence.confirmed_by === "replay";
}
function adjective(r: Report): string {
  const q = r.evidence.quasi;
  if (!q) return r.property;
  return `${r.property} by ${q.sets.map((s) => s.operations.join(",") + (s.factor === null ? "" : `=${s.factor}`)).join(" ")}, ${q.relaxation}`;
}

export function subtitle(r: Report): string {
  const s = r.scope;
  const processes = (s.bounds as { processes?: number } | undefined)?.processes;
  return [
    r.specification,
    s.operations !== undefined && count(s.operations, "operation"),
    (s.partitions_total ?? 0) > 1 && count(s.partitions_total!, "partition"),
    s.executions !== undefined && count(s.executions, "execution"),
    processes !== undefined && count(processes, "process").replace("processs", "processes"),
    typeof s.states === "number" && count(s.states, "state"),
    `${(s.total_seconds ?? r.seconds).toLocaleString("en-US", { maximumSignificantDigits: 2 })} s`,
  ].filter(Boolean).join(" · ");
}

/// The sentences, and the forced state at the left edge.
export function whyPanel(r: Report, finding: Finding | null, failure: Failure | null, operationsBefore: number | null): HTMLElement {
  const e = r.evidence;
  const sentences = [...(failure?.why ?? (finding ? [finding.kind === "assertion" ? `${finding.message} does not hold.` : finding.message] : e.why ?? []))];
  const left = e.left_state;
  const proof: string[] = [];
  if (e.kind === "counterexample" && !isFault(r)) {
    if (e.self_contained) proof.push("It is a violation whatever the other operations did.");
    if (e.minimal) proof.push("Nothing of what is shown can be left out.");
    else if (r.command !== "test") proof.push("Minimisation reached its limit.");
    if (e.confirmed_by) proof.push(`Confirmed by ${e.confirmed_by}.`);
  }
  if (e.kind === "witness") proof.push("The order was verified by replaying it.");
  if (e.kind === "none" && r.verdict === "holds" && r.command === "verify") proof.push("Proved by visiting every state; there is no separate certificate.");
  if (e.kind === "witness" && sentences.length === 0 && typeof e.operations === "number")
    sentences.push(`One order of ${count(e.operations, "operation")} explains every result${e.quasi ? ", some out of place as allowed" : ""}.`);
  const places = finding ? [finding.here, ...(finding.there ? [finding.there] : [])] : [];
  const replay = finding?.schedule.replay ?? failure?.replay;
  return h("section", { class: "why", "aria-label": "Why", tabindex: 0 },
    h("h2", {}, r.verdict === "violation" ? "Why" : r.verdict === "holds" ? "It holds" : "Undecided"),
    ...sentences.map((s, i) => h("p", { class: i === 0 ? "lead" : "" }, foreign(s, ""))),
    left && h("div", { class: "left-state" },
      h("p", {}, left.line ? `Before line ${left.line}` : "At the left edge", " the state is ", foreign(left.state), "."),
      h("p", { class: "quiet" },
        `It is forced: no order of ${operationsBefore === null ? "the operations" : `the ${count(operationsBefore, "operation")}`} ` +
        "that were called before leads to another state. So the contradiction needs nothing further left.")),
    ...places.map((p) => h("p", { class: "place" }, `thread ${p.thread}: `,
      ...p.stack.filter((f) => f.line > 0).slice(0, 3).map((f) => h("span", { class: "code" }, `${f.function} (${f.file.slice(f.file.lastIndexOf("/") + 1)}:${f.line}) `)))),
    ...(e.waiting ?? []).map((w) => h("p", {}, `Process ${words(w.process)} waits: `, foreign(w.step), w.line ? ` (line ${w.line})` : "")),
    failure && h("p", { class: "quiet" }, "Test: ", foreign(failure.test)),
    replay && h("p", { class: "quiet replay" }, "Replay: ", foreign(replay)),
    proof.length > 0 && h("p", { class: "quiet" }, proof.join(" ")),
    ...(r.warnings ?? []).map((w) => h("p", { class: "quiet" }, `Line ${w.line}: ${w.kind}: ${w.text}`)));
}

function named(op: NamedOperation): string {
  return callWords(op) + (op.result === undefined || op.result === null ? "" : ` = ${words(op.result)}`) +
    (op.line ? ` (line ${op.line})` : "");
}

/// Which operations overtook which.
export function quasiPanel(q: Quasi, select: (line: number | null) => void): HTMLElement {
  const rows = q.distances.slice(0, 200).map((d) => {
    const by = d.overtaken_by ?? [];
    const who = d.operation;
    return h("li", {},
      who
        ? h("button", { class: "link", click: () => select(who.line) }, foreign(named(who)))
        : h("span", {}, foreign(words(d.element ?? null)), ", never taken out,"),
      who && d.distance > 0
        ? h("span", {}, d.ahead && d.ahead.length > 0 ? ` overtook ${d.ahead.map(words).join(", ")}` : ` is ${count(d.distance, "place")} from its own`)
        : null,
      by.length > 0 ? h("span", {}, who && d.distance > 0 ? "; " : " was ", "overtaken by ",
        ...by.slice(0, 8).flatMap((o, i) => [i > 0 ? ", " : "", h("button", { class: "link", click: () => select(o.line) }, foreign(named(o)))])) : null);
  });
  const needed = q.needed === undefined ? null : q.needed === null ? "No factor explains these operations." : `A factor of ${q.needed} would explain them.`;
  return h("div", { class: "pad" },
    h("p", {}, `Allowed: ${q.sets.map((s) => `${s.operations.join(", ")} out of order by ${s.factor ?? "any number"}`).join("; ")} (${q.relaxation}). ${needed ?? ""}`),
    h("ul", { class: "overtaking" }, ...rows),
    q.displaced > rows.length && h("p", { class: "quiet" }, `${count(q.displaced)} in all.`));
}

export function partitionsPanel(partitions: Partition[], total: number, choose: (p: Partition) => void): HTMLElement {
  const order = { violation: 0, undecided: 1, holds: 2 } as { [verdict: string]: number };
  const shown = [...partitions].sort((a, b) => order[a.verdict] - order[b.verdict] || b.operations - a.operations).slice(0, 500);
  return h("div", { class: "pad" },
    total > shown.length && h("p", { class: "quiet" }, `${count(shown.length)} of ${count(total, "partition")}.`),
    h("table", { class: "wide" },
      h("thead", {}, h("tr", {}, ...["partition", "operations", "verdict", "engine", ""].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, ...shown.map((p) => h("tr", {},
        h("td", {}, h("button", { class: "link", click: () => choose(p) },
          foreign([p.object === null ? "" : words(p.object), p.keys.map(words).join(", ")].filter(Boolean).join(" · ") || "the whole object"))),
        h("td", { class: "numeric" }, count(p.operations)),
        h("td", {}, h("span", { class: `verdict-${p.verdict}` }, p.skipped ? "skipped" : p.verdict)),
        h("td", {}, p.engine),
        h("td", { class: "quiet" }, foreign(p.skipped ? "" : p.reason ?? p.why_engine ?? "", "")))))));
}

/// The operations in view, as a table: for readers who do not see the picture.
export class OperationsPanel {
  readonly element = h("div", { class: "pad" });
  constructor(private readonly select: (op: number) => void) {}

  update(timeline: Timeline, h0: History): void {
    const { layout } = timeline;
    const from = timeline.offset, to = timeline.placeAt(timeline.width);
    const shown: number[] = [];
    let more = 0;
    const inView = layout.ops.length > 5000 ? bracket(layout.ops, (op) => layout.start(op), from - 1, to) : layout.ops;
    for (const op of inView) {
      if (layout.start(op) > to || layout.end(op) < from) continue;
      if (shown.length < 200) shown.push(op);
      else ++more;
    }
    const at = (line: Uint32Array | null, position: number, op: number) =>
      position === NONE ? "never" : line ? `line ${line[op]}` : `event ${position + 1}`;
    fill(this.element,
      h("p", { class: "quiet" }, `${count(shown.length)} operations in view${more > 0 ? `, and ${count(more)} more: zoom in` : ""}.`),
      h("table", { class: "wide" },
        h("thead", {}, h("tr", {}, ...["operation", "process", "called", "returned", ""].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...shown.map((op) => h("tr", { "aria-selected": String(op === timeline.marks.selected) },
          h("td", {}, h("button", { class: "link", click: () => this.select(op) }, foreign(print(h0, op)))),
          h("td", {}, foreign(h0.processes[h0.process[op]])),
          h("td", {}, at(h0.line, h0.call[op], op)),
          h("td", {}, at(h0.returnLine, h0.ret[op], op)),
          h("td", {}, op === timeline.marks.culprit ? timeline.marks.verdict : ""))))));
  }
}
/// The operations, in ascending order, that start in the range, and some before.
function bracket(ops: Uint32Array, start: (op: number) => number, from: number, to: number): Uint32Array {
  const find = (place: number) => {
    let low = 0, high = ops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start(ops[middle]) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return ops.subarray(Math.max(0, find(from) - 1000), find(to) + 1);
}

/// Everything that was covered, from the report.
export function scopePanel(r: Report): HTMLElement {
  const rows: HTMLElement[] = [];
  for (const [name, value] of Object.entries({ file: r.file, command: r.command, property: r.property, version: r.version, ...r.scope })) {
    if (name === "partitions" || value === null) continue;
    const text = typeof value === "string" ? value : Array.isArray(value) && (value as unknown[]).every((v) => typeof v === "string") ? value.join("; ") : JSON.stringify(value);
    if (text !== "") rows.push(h("tr", {}, h("th", { scope: "row" }, name.replace(/_/g, " ")), h("td", {}, foreign(text, ""))));
  }
  return h("div", { class: "pad" }, h("table", { class: "scope" }, h("tbody", {}, ...rows)));
}
