// SPDX-License-Identifier: MIT
// The report as in docs/report.schema.json: only the fields that the page reads.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Operation {
  process: Json;
  object?: Json;
  op: string;
  args: Json[];
  result?: Json;
  needed?: "call" | "outcome";
  pending: boolean;
  open: boolean;
  call_line: number | null;
  return_line: number | null;
}

export interface HistoryEvent {
  type: "call" | "return" | "crash" | "stuck";
  process?: Json;
  object?: Json;
  op?: string;
  args?: Json[];
  result?: Json;
  line?: number | null;
}

/// A step of a model.
export interface TraceStep {
  process: Json;
  step: string;
  line: number | null;
  changes?: { [variable: string]: [Json, Json] };
  effect?: string;
}

/// A step of a program.
export interface ThreadStep {
  thread: number;
  process?: string;
  what?: string;
  file?: string;
  line?: number;
  function?: string;
  order?: string;
  events?: number;
}

export interface Schedule {
  text?: string;
  replay?: string;
  steps?: ThreadStep[];
}

export interface Place {
  thread: number;
  stack: { function: string; file: string; line: number }[];
}

export interface Finding {
  kind: string;
  message: string;
  here: Place;
  there?: Place;
  schedule: Schedule;
}

export interface Failure {
  kind: string;
  test: string;
  why?: string[];
  history?: HistoryEvent[];
  replay?: string;
  steps?: ThreadStep[];
}

export interface NamedOperation {
  process: Json;
  op: string;
  args: Json[];
  result?: Json;
  line: number | null;
}

export interface Quasi {
  relaxation: string;
  sets: { operations: string[]; factor: number | null; least?: number | null }[];
  needed?: number | null;
  displaced: number;
  distances: {
    operation: NamedOperation | null;
    distance: number;
    element?: Json;
    ahead?: Json[];
    overtaken_by?: NamedOperation[];
  }[];
}

export interface Evidence {
  kind: "none" | "witness" | "reads_from" | "counterexample" | "lasso" | "run";
  history?: HistoryEvent[];
  operations?: Operation[] | number;
  culprit?: number | null;
  why?: string[];
  focus?: Operation[];
  differs?: number[];
  left_state?: { state: string; line: number | null; open?: boolean } | null;
  minimal?: boolean;
  self_contained?: boolean;
  confirmed_by?: string | null;
  trace?: TraceStep[];
  loop?: TraceStep[];
  waiting?: TraceStep[];
  quasi?: Quasi;
}

export interface Partition {
  object: Json;
  keys: Json[];
  operations: number;
  verdict: string;
  skipped: boolean;
  engine: string;
  reason?: string;
  why_engine?: string;
  covered: number;
}

export interface Report {
  command: "check" | "test" | "verify";
  version: string;
  file: string;
  property: string;
  specification: string | null;
  verdict: "holds" | "violation" | "undecided";
  reason?: string;
  scope: {
    operations?: number;
    partitions_total?: number;
    partitions_decided?: number;
    partitions?: Partition[];
    notes?: string[];
    executions?: number;
    total_seconds?: number;
    [more: string]: unknown;
  };
  evidence: Evidence;
  findings: Finding[];
  failures?: Failure[];
  warnings?: { kind: string; line: number | null; text: string }[];
  marks?: { why: string; trace: TraceStep[] };
  seconds: number;
}

/// What Plumb adds to a report for this page. Numbers of operations are the whole history's.
export interface Extras {
  history?: number; // which island
  operations?: number[];
  focus?: number[];
  culprit?: number | null;
  left?: number; // the position of the cut
  steps?: number; // which island
  sources?: { [file: string]: [number, string[]][] };
}

export interface Page {
  report: Report;
  extras: Extras;
  which?: string; // if one report has several findings
}

/// A test that continued after the first failure has several in one report: one page per failure.
export function apart(page: Page): Page[] {
  const { report } = page;
  const failures = (report.failures ?? []).filter((f) => f.kind !== "finding");
  if (failures.length + report.findings.length < 2) return [page];
  return [
    ...failures.map((f, i) => ({
      ...page,
      report: { ...report, failures: [f], findings: [], evidence: i === 0 ? report.evidence : evidenceOf(f) },
      which: f.test,
    })),
    ...report.findings.map((f) => ({
      ...page,
      report: { ...report, failures: undefined, findings: [f], evidence: { kind: "none" } as Evidence },
      which: f.message,
    })),
  ];
}

/// Only the first failure has its evidence in the report; the others have only their history.
function evidenceOf(f: Failure): Evidence {
  const calls = (f.history ?? []).filter((e) => e.type === "call");
  const operations = calls.map((c) => ({
    process: c.process ?? null, op: c.op ?? "", args: c.args ?? [], pending: false, open: false, call_line: null, return_line: null,
  }));
  return { kind: "counterexample", history: f.history, operations, culprit: null, why: f.why, focus: [], left_state: null, minimal: false };
}

/// A value as the reports print it: JSON, without quotes around a whole string that needs none.
export function words(value: Json | undefined): string {
  if (value === undefined) return "";
  if (value === null) return "nil";
  return JSON.stringify(value);
}

export function elide(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most - 1) + "…";
}

export function callWords(op: { op: string; args: Json[] }): string {
  return `${op.op}(${op.args.map((a) => elide(words(a), 120)).join(", ")})`;
}

export function count(n: number, thing?: string): string {
  const digits = n.toLocaleString("en-US");
  return thing === undefined ? digits : `${digits} ${thing}${n === 1 ? "" : "s"}`;
}

export function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
