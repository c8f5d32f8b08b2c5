// SPDX-License-Identifier: MIT
// For quasi linearizability: which operation took which value before its turn.
import { History, print } from "./history";
import { callWords, count, elide, Json, Quasi, words } from "./report";

export function overtaking(h: History, q: Quasi): Map<number, string> {
  const badges = new Map<number, string>();
  for (const d of q.distances) {
    if (!d.operation || d.distance === 0) continue;
    const op = byLine(h, d.operation.line) ?? byWords(h, d.operation);
    if (op !== null) badges.set(op, d.ahead ? elide(`overtook ${d.ahead.map(words).join(", ")}`, 40) : `${count(d.distance, "place")} off`);
  }
  return badges;
}

export function byLine(h: History, line: number | null): number | null {
  if (!line || !h.line) return null;
  const op = h.line.indexOf(line);
  return op < 0 ? null : op;
}

function byWords(h: History, op: { op: string; args: Json[] }): number | null {
  const text = callWords(op);
  for (let i = 0; i < Math.min(1000, h.size); ++i) if (print(h, i).startsWith(text)) return i;
  return null;
}
