// SPDX-License-Identifier: MIT
// What is written into the page (src/report/html.cpp): reports as JSON, histories as compressed
// columns of variable-length numbers.
import { History, NONE, Note } from "./history";
import { elide, Json, Page } from "./report";

declare class DecompressionStream {
  constructor(format: string);
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array>;
}

function island(id: string): string {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no ${id}`);
  const text = element.textContent ?? "";
  element.remove(); // it is large and no longer needed
  return text;
}

export function readPages(): Page[] {
  return JSON.parse(island("reports")) as Page[];
}

async function inflated(id: string): Promise<Uint8Array> {
  const binary = atob(island(id).trim());
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < packed.length; ++i) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// An order of operations, with the state after each (src/explain/steps.hpp).
export interface Steps {
  kind: "witness" | "longest";
  of: number[]; // the operations to be ordered; empty: all
  exhaustive: boolean; // longest: every order was tried
  total: number; // the number of steps; these are the first
  initial: string;
  /// Operation, the state after it, and the operations that could not take its place, with the
  /// results that the specification would allow.
  steps: [number, string, [number, string][]][];
  end: [number, string][]; // the operations that cannot come next, after the last
}

export async function readSteps(number: number): Promise<Steps> {
  return JSON.parse(new TextDecoder().decode(await inflated(`steps-${number}`))) as Steps;
}

class Reader {
  at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  number(): number {
    let value = 0, factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }
  signed(): number {
    const n = this.number();
    return n % 2 === 0 ? n / 2 : -(n + 1) / 2;
  }
  text(length: number): string {
    const from = this.at;
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(from, this.at));
  }
  rest(): Uint8Array {
    return this.bytes.subarray(this.at);
  }
}

interface Head {
  operations: number;
  labels: number;
  events: number;
  processes: string[];
  objects: string[];
  methods: string[];
  keys: string[];
  notes: [number, string][];
  has_objects: boolean;
  has_lines: boolean;
  has_times: boolean;
  time_base: string;
}

export async function readHistory(number: number): Promise<History> {
  const r = new Reader(await inflated(`history-${number}`));
  const head = JSON.parse(r.text(r.number())) as Head;
  const n = head.operations;
  const column = (next: (i: number) => number) => {
    const values = new Uint32Array(n);
    for (let i = 0; i < n; ++i) values[i] = next(i);
    return values;
  };
  let last = 0;
  const call = column(() => (last += r.number()));
  const ret = column((i) => {
    const length = r.number();
    return length === 0 ? NONE : call[i] + length;
  });
  const process = column(() => r.number());
  // Labels are numbered as they appear: 0 is the next new one, k the one k before it.
  let fresh = 0;
  const label = column(() => {
    const back = r.number();
    return back === 0 ? fresh++ : fresh - back;
  });
  const object = head.has_objects ? column(() => r.number()) : null;
  // The distance of a line from its position, if that changes.
  let offset = 0;
  const lineAt = (position: number) => position + (offset += r.signed());
  const line = head.has_lines ? column((i) => lineAt(call[i])) : null;
  offset = 0;
  const returnLine = head.has_lines ? column((i) => (ret[i] === NONE ? 0 : lineAt(ret[i]))) : null;
  let callTime: Float64Array | null = null, returnTime: Float64Array | null = null;
  if (head.has_times) {
    callTime = new Float64Array(n);
    returnTime = new Float64Array(n);
    let time = 0;
    for (let i = 0; i < n; ++i) callTime[i] = time += r.signed();
    for (let i = 0; i < n; ++i) returnTime[i] = ret[i] === NONE ? NaN : callTime[i] + r.signed();
  }
  const labelColumn = () => {
    const values = new Uint32Array(head.labels);
    for (let i = 0; i < head.labels; ++i) values[i] = r.number();
    return values;
  };
  const labelMethod = labelColumn(), labelKey = labelColumn();
  const texts = r.rest();
  return {
    size: n,
    events: head.events,
    call, ret, process, object, label, line, returnLine, callTime, returnTime,
    timeBase: head.time_base,
    processes: head.processes,
    objects: head.objects,
    methods: head.methods,
    keys: head.keys,
    labels: head.labels,
    labelMethod, labelKey,
    labelText: lines(texts, head.labels),
    allLabelTexts: () => new TextDecoder().decode(texts).split("\n").slice(0, head.labels),
    notes: head.notes.map(([position, text]) => readNote(position, text)),
  };
}

/// Texts that each end in a newline, decoded on use.
function lines(bytes: Uint8Array, size: number): (i: number) => string {
  const ends = new Uint32Array(size);
  for (let i = 0, at = 0; i < size; ++i) {
    at = bytes.indexOf(10, at);
    ends[i] = at++;
  }
  const decoder = new TextDecoder();
  return (i) => decoder.decode(bytes.subarray(i === 0 ? 0 : ends[i - 1] + 1, ends[i]));
}

/// {"type":"note","process":"nemesis","f":"partition"}: one row per process, and the rest as text.
function readNote(position: number, json: string): Note {
  let fields: { [key: string]: Json };
  try {
    fields = JSON.parse(json) as { [key: string]: Json };
  } catch {
    return { position, row: "notes", text: elide(json, 400) };
  }
  const who = fields.process ?? fields.tag ?? "notes";
  const said = Object.entries(fields).filter(([key]) => !["type", "process", "tag"].includes(key));
  const word = (v: Json) => (typeof v === "string" ? v : JSON.stringify(v));
  const text = said
    .filter(([, v]) => v !== null)
    .map(([key, v]) => (["text", "f", "value", "event"].includes(key) ? word(v) : `${key}: ${word(v)}`))
    .join(" ");
  return { position, row: typeof who === "string" ? who : JSON.stringify(who), text: elide(text, 400) };
}
