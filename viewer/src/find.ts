// SPDX-License-Identifier: MIT
// Searching marks labels; filtering omits operations. Labels are few, or at least read once.
import { History } from "./history";

/// All labels as one text, one per line, so that one scan finds a word.
interface Index {
  text: string;
  starts: Uint32Array; // of each label, and the end
}
const indices = new WeakMap<History, Index>();

function indexOf(h: History): Index {
  let index = indices.get(h);
  if (!index) {
    const starts = new Uint32Array(h.labels + 1);
    const lines = h.allLabelTexts();
    for (let i = 0, at = 0; i < h.labels; ++i) {
      lines[i] = (h.methods[h.labelMethod[i]] + lines[i]).toLowerCase();
      starts[i + 1] = at += lines[i].length + 1;
    }
    indices.set(h, (index = { text: lines.join("\n") + "\n", starts }));
  }
  return index;
}

/// By label: whether it matches; null: the text is not a regular expression. Case does not matter.
export function search(h: History, text: string, regex: boolean): Uint8Array | null {
  const found = new Uint8Array(h.labels);
  const index = indexOf(h);
  if (regex) {
    let pattern: RegExp;
    try {
      pattern = new RegExp(text, "i");
    } catch {
      return null;
    }
    for (let i = 0; i < h.labels; ++i)
      if (pattern.test(index.text.slice(index.starts[i], index.starts[i + 1] - 1))) found[i] = 1;
    return found;
  }
  const wanted = text.toLowerCase();
  let label = 0;
  for (let at = index.text.indexOf(wanted); at >= 0 && at < index.text.length; at = index.text.indexOf(wanted, index.starts[label + 1])) {
    while (index.starts[label + 1] <= at) ++label;
    found[label] = 1;
    if (label + 1 === h.labels) break;
  }
  return found;
}

/// Empty: all of them.
export interface Filter {
  process: string;
  method: string;
  key: string; // of a partition all of its keys: "1, 2"
  object: string;
}
export const everything: Filter = { process: "", method: "", key: "", object: "" };

export function isEmpty(f: Filter): boolean {
  return !f.process && !f.method && !f.key && !f.object;
}

/// Those of `ops` (null: of all) that pass.
export function filtered(h: History, ops: number[] | null, f: Filter): Uint32Array {
  const process = f.process ? h.processes.indexOf(f.process) : -1;
  const object = f.object && h.object ? h.objects.indexOf(f.object) : -1;
  const label = new Uint8Array(h.labels);
  const method = f.method ? h.methods.indexOf(f.method) : -1;
  const keys = new Set(h.keys.includes(f.key) ? [f.key] : f.key.split(", "));
  const keyPasses = h.keys.map((key) => !f.key || keys.has(key));
  for (let i = 0; i < h.labels; ++i)
    label[i] = (f.method && h.labelMethod[i] !== method) || !keyPasses[h.labelKey[i]] ? 0 : 1;
  const passes = (op: number) =>
    label[h.label[op]] === 1 && (!f.process || h.process[op] === process) && (object < 0 || h.object![op] === object);
  if (ops) return Uint32Array.from(ops.filter(passes));
  const kept = new Uint32Array(h.size);
  let size = 0;
  for (let op = 0; op < h.size; ++op) if (passes(op)) kept[size++] = op;
  return kept.subarray(0, size);
}

/// The next operation that matches, in the order of calls; wraps around.
export function nextMatch(h: History, ops: Uint32Array, matches: Uint8Array, from: number | null, back: boolean): number | null {
  const n = ops.length;
  let at = from === null ? (back ? 0 : -1) : ops.indexOf(from);
  for (let k = 0; k < n; ++k) {
    at = (at + (back ? n - 1 : 1)) % n;
    if (matches[h.label[ops[at]]]) return ops[at];
  }
  return null;
}
