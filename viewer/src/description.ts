// SPDX-License-Identifier: MIT
// An operation in words: who called it, where it is in the file, when, and how long it took.
import { foreign } from "./dom";
import { History, NONE, print } from "./history";
import { baseName } from "./report";
import { Subject } from "./subject";

export function describe(s: Subject, op: number): (Node | string)[] {
  const h = s.history!;
  const process = h.processes[h.process[op]];
  const parts: (Node | string)[] = [foreign(print(h, op)), ` · ${/^\d+$/.test(process) ? "process " : ""}`, foreign(process, "")];
  if (h.object && h.objects[h.object[op]]) parts.push(" · ", foreign(h.objects[h.object[op]], ""));
  const returned = h.ret[op] !== NONE;
  if (s.ownEvents) {
    const step = s.threadSteps[op];
    if (step.file) parts.push(` · ${baseName(step.file)}:${step.line}`);
  } else if (h.line) {
    parts.push(returned ? ` · lines ${h.line[op]} to ${h.returnLine![op]}` : ` · line ${h.line[op]}, never returned`);
  } else {
    parts.push(returned ? ` · events ${h.call[op] + 1} to ${h.ret[op] + 1}` : ` · event ${h.call[op] + 1}, never returned`);
  }
  if (h.callTime) {
    parts.push(` · at ${time(h, h.callTime[op])}`);
    if (returned) parts.push(`, took ${(h.returnTime![op] - h.callTime[op]).toLocaleString("en-US")}`);
  }
  if (op === s.culprit) parts.push(` · ${s.said}`);
  return parts;
}

function time(h: History, offset: number): string {
  const base = Number(h.timeBase);
  return Number.isSafeInteger(base + offset) ? String(base + offset) : `${h.timeBase} + ${offset}`;
}
