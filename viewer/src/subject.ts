// SPDX-License-Identifier: MIT
// What one report is about: its history, which of its operations matter, and what can be stepped
// through. Taken from the data that Plumb added to the page or, without them, from the report alone.
import { readHistory, readSteps, Steps } from "./decode";
import { fromSteps, fromTrace, History, NONE, ofEvidence, print } from "./history";
import { isFault } from "./panels";
import { Failure, Finding, Operation, Page, Report, ThreadStep, words } from "./report";

export type Scope = "focus" | "minimal" | "whole";

export interface Subject {
  page: Page;
  report: Report;
  history: History | null;
  ownEvents: boolean; // the history is made of steps
  minimal: number[] | null; // null: there is nothing smaller than the whole
  focus: number[] | null;
  hasWhole: boolean;
  culprit: number | null;
  said: string; // of the culprit
  left: { state: string; position: number } | null;
  steps: Steps | null;
  finding: Finding | null;
  failure: Failure | null;
  threadSteps: ThreadStep[];
}

export async function makeSubject(page: Page): Promise<Subject> {
  const { report, extras } = page;
  const e = report.evidence;
  const subject: Subject = {
    page, report, history: null, ownEvents: false, minimal: null, focus: null, hasWhole: false, culprit: null,
    said: e.quasi ? "out of order" : "impossible", left: null, steps: null, finding: null, failure: null, threadSteps: [],
  };
  subject.failure = report.failures?.find((f) => f.kind !== "finding") ?? null;
  subject.finding = report.failures && subject.failure === report.failures[0] ? null : report.findings[0] ?? null;
  if (subject.finding) subject.failure = null;
  if (extras.history !== undefined) {
    subject.history = await readHistory(extras.history);
    subject.hasWhole = true;
    if (extras.operations) subject.minimal = extras.operations;
    if (extras.focus && extras.focus.length > 0) subject.focus = extras.focus;
    subject.culprit = extras.culprit ?? null;
    if (e.left_state) subject.left = { state: e.left_state.state, position: extras.left ?? 0 };
  } else if (subject.finding) {
    subject.threadSteps = subject.finding.schedule.steps ?? [];
    subject.history = fromSteps(subject.threadSteps);
    subject.ownEvents = true;
    if (subject.threadSteps.length > 0) subject.culprit = subject.threadSteps.length - 1;
    subject.said = "here";
  } else {
    ofReport(subject);
  }
  // A counterexample as large as the whole history is not shown twice.
  if (subject.minimal && subject.minimal.length === subject.history?.size) subject.hasWhole = false;
  if (subject.failure?.steps) subject.threadSteps = subject.failure.steps;
  if (extras.steps !== undefined) subject.steps = await readSteps(extras.steps);
  if (subject.culprit !== null && subject.history?.ret[subject.culprit] === NONE && e.kind !== "lasso" && !isFault(report)) subject.said = "never returns";
  return subject;
}

function ofReport(s: Subject): void {
  const e = s.report.evidence;
  s.history = ofEvidence(e, s.report.command === "test");
  if (!s.history && e.trace) s.history = fromTrace(e.trace);
  if (s.history && e.kind === "lasso") neverReturns(s, s.history);
  if (!s.history || e.kind !== "counterexample") return;
  s.culprit = e.culprit ?? null;
  if (s.culprit === null && e.differs?.length === 1) {
    s.culprit = e.differs[0];
    s.said = "unlike the nearest order";
  }
  const ops = e.operations as Operation[];
  s.minimal = ops.map((_, i) => i);
  if (e.left_state) s.left = { state: e.left_state.state, position: 0 };
  // The whole run of a model is in its trace, even if only some of its operations matter.
  if (e.trace) {
    const whole = fromTrace(e.trace);
    const found = whole.events > s.history.events ? matched(s.history, whole) : null;
    if (found) {
      s.minimal = found;
      s.culprit = s.culprit === null ? null : found[s.culprit];
      s.history = whole;
      s.hasWhole = true;
    }
  }
  if (s.culprit === null && isFault(s.report)) {
    const process = words(e.trace?.at(-1)?.process);
    for (let op = 0; op < s.history.size; ++op)
      if (s.history.ret[op] === NONE && s.history.processes[s.history.process[op]] === process) s.culprit = op;
    s.said = "fails";
  }
  const focus = (e.focus ?? []).map((f) => ops.findIndex((o) => same(o, f)));
  if (focus.length > 0 && focus.length < ops.length && !focus.includes(-1)) s.focus = focus.map((i) => s.minimal![i]);
}

/// In a lasso: the operation that never returns, or that waits, if there is only one.
function neverReturns(s: Subject, h: History): void {
  const waits = (s.report.evidence.waiting ?? []).map((w) => (typeof w.process === "string" ? w.process : words(w.process)));
  const open = [...h.ret.keys()].filter((op) => h.ret[op] === NONE && (waits.length === 0 || waits.includes(h.processes[h.process[op]])));
  if (open.length === 1) s.culprit = open[0];
  s.said = waits.length > 0 ? "waits" : "never returns";
}

function same(a: Operation, b: Operation): boolean {
  return words([a.process, a.op, a.args, a.call_line, a.return_line]) === words([b.process, b.op, b.args, b.call_line, b.return_line]);
}

/// The operations of one history in another; null: some are missing.
function matched(few: History, all: History): number[] | null {
  const found: number[] = [];
  for (let op = 0; op < few.size; ++op) {
    let at = -1;
    for (let k = 0; k < all.size && at < 0; ++k)
      if (!found.includes(k) && all.processes[all.process[k]] === few.processes[few.process[op]] && print(all, k) === print(few, op)) at = k;
    if (at < 0) return null;
    found.push(at);
  }
  return found;
}

