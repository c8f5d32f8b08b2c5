// SPDX-License-Identifier: MIT
// A history as columns: an operation is an index into them, as in include/plumb/history.hpp.
import { callWords, elide, Evidence, HistoryEvent, Json, ThreadStep, TraceStep, words } from "./report";

export const NONE = 0xffffffff;

export interface Note {
  position: number; // before this event
  row: string;
  text: string;
}

export interface History {
  size: number;
  events: number;
  call: Uint32Array; // position
  ret: Uint32Array; // NONE: pending
  process: Uint32Array;
  object: Uint32Array | null; // null: only one
  label: Uint32Array;
  line: Uint32Array | null;
  returnLine: Uint32Array | null;
  callTime: Float64Array | null; // from `timeBase` on
  returnTime: Float64Array | null;
  timeBase: string;
  processes: string[];
  objects: string[];
  methods: string[];
  keys: string[]; // [0]: no key
  labels: number;
  labelMethod: Uint32Array;
  labelKey: Uint32Array;
  labelText(label: number): string; // what follows the method: "(7)", "() = 3"
  allLabelTexts(): string[];
  notes: Note[];
}

export function print(h: History, op: number): string {
  const object = h.object ? h.objects[h.object[op]] : "";
  return (object && `${object}.`) + h.methods[h.labelMethod[h.label[op]]] + h.labelText(h.label[op]);
}

/// a happens before b
export function before(h: History, a: number, b: number): boolean {
  return h.ret[a] !== NONE && h.ret[a] < h.call[b];
}

interface Plain {
  process: string;
  method: string;
  text: string; // behind the method
  call: number;
  ret: number;
  line?: number | null;
  returnLine?: number | null;
}

function numbered(names: string[]): (name: string) => number {
  const numbers = new Map(names.map((name, i) => [name, i]));
  return (name) => {
    let at = numbers.get(name);
    if (at === undefined) {
      at = names.push(name) - 1;
      numbers.set(name, at);
    }
    return at;
  };
}

function fromPlain(ops: Plain[], events: number): History {
  const processes: string[] = [], methods: string[] = [];
  const processOf = numbered(processes), methodOf = numbered(methods);
  const column = (f: (op: Plain, i: number) => number) => Uint32Array.from(ops, f);
  const lines = ops.some((op) => op.line);
  return {
    size: ops.length,
    events,
    call: column((op) => op.call),
    ret: column((op) => op.ret),
    process: column((op) => processOf(op.process)),
    object: null,
    label: column((_, i) => i),
    line: lines ? column((op) => op.line ?? 0) : null,
    returnLine: lines ? column((op) => op.returnLine ?? 0) : null,
    callTime: null,
    returnTime: null,
    timeBase: "",
    processes,
    objects: [""],
    methods,
    keys: [""],
    labels: ops.length,
    labelMethod: column((op) => methodOf(op.method)),
    labelKey: new Uint32Array(ops.length),
    labelText: (label) => ops[label].text,
    allLabelTexts: () => ops.map((op) => op.text),
    notes: [],
  };
}

function name(value: Json | undefined): string {
  return typeof value === "string" ? value : words(value ?? null);
}

/// Null may mean no result; for a class under test it is always a result.
function resultText(result: Json | undefined, nullIsOne: boolean): string {
  if (result === null && nullIsOne) return " = null";
  return result === null || result === undefined || result === "ok" ? "" : ` = ${elide(words(result), 120)}`;
}

/// From the events of a report. What they call operation i is the i-th call.
export function fromEvents(events: HistoryEvent[], nullIsOne: boolean): History {
  const ops: Plain[] = [];
  const open = new Map<string, Plain>();
  let position = 0;
  for (const e of events) {
    if (e.type === "stuck" || e.type === "crash") continue;
    const process = name(e.process);
    if (e.type === "call") {
      const method = e.op ?? "";
      const text = callWords({ op: "", args: e.args ?? [] });
      const op = { process, method, text, call: position, ret: NONE, line: e.line };
      ops.push(op);
      open.set(process, op);
    } else {
      const op = open.get(process);
      if (op) {
        op.ret = position;
        (op as Plain).returnLine = e.line;
        op.text += resultText(e.result, nullIsOne);
        open.delete(process);
      }
    }
    ++position;
  }
  return fromPlain(ops, position);
}

/// From the steps of a model: those that call and return.
export function fromTrace(trace: TraceStep[]): History {
  const ops: Plain[] = [];
  const open = new Map<string, Plain>();
  let position = 0;
  for (const step of trace) {
    const process = name(step.process);
    if (isCall(step)) {
      const at = step.step.indexOf("(");
      const op = {
        process,
        method: step.step.slice(5, at < 0 ? undefined : at),
        text: at < 0 ? "" : step.step.slice(at),
        call: position++,
        ret: NONE,
      };
      ops.push(op);
      open.set(process, op);
    } else if (isReturn(step)) {
      const op = open.get(process);
      if (op) {
        op.ret = position;
        const result = step.step.slice(7);
        if (result) op.text += ` = ${result}`;
        open.delete(process);
      }
      ++position;
    }
  }
  return fromPlain(ops, position);
}

/// Calls and returns have no line; a statement that begins like one has.
export function isCall(s: TraceStep): boolean {
  return s.line === null && s.step.startsWith("call ");
}
export function isReturn(s: TraceStep): boolean {
  return s.line === null && (s.step === "return" || s.step.startsWith("return "));
}

/// A program that is not an object has no operations: its steps are shown instead.
export function fromSteps(steps: ThreadStep[]): History {
  return fromPlain(
    steps.map((s, i) => {
      const what = s.what ?? "step";
      const space = what.indexOf(" ");
      return {
        process: s.process ?? `thread ${s.thread}`,
        method: space < 0 ? what : what.slice(0, space),
        text: space < 0 ? "" : what.slice(space),
        call: 2 * i,
        ret: 2 * i + 1,
      };
    }),
    2 * steps.length,
  );
}

/// Where each step of a trace or of an interleaving stands among the events of the history: calls
/// and returns at their own place, the others spread between their neighbours.
export function moments(eventsBefore: number[], isEvent: boolean[]): Float64Array {
  const at = new Float64Array(eventsBefore.length);
  for (let i = 0; i < at.length; ) {
    let end = i;
    while (end < at.length && eventsBefore[end] === eventsBefore[i] && !isEvent[end]) ++end;
    for (let k = i; k < end; ++k) at[k] = eventsBefore[i] - 0.5 + (k - i + 1) / (end - i + 1);
    if (end === i) {
      at[i] = eventsBefore[i] + 0.5;
      ++end;
    }
    i = end;
  }
  return at;
}

/// The history that the report itself has, if it has one.
export function ofEvidence(e: Evidence, nullIsOne: boolean): History | null {
  if (e.kind === "lasso") return fromTrace([...(e.trace ?? []), ...(e.loop ?? [])]);
  if (e.history && e.history.length > 0) return fromEvents(e.history, nullIsOne);
  return null;
}
