// SPDX-License-Identifier: MIT
// Which operations are shown, and where: one row per process, the events of the shown operations in
// order. A counterexample, a filter and the whole history differ only in their operations.
import { History, NONE } from "./history";

export interface Row {
  name: string;
  lane: number; // > 0: operations of one process that overlap, because their clocks do
  ops: Uint32Array; // in the order of their calls
}

export interface NoteRow {
  name: string;
  notes: { at: number; text: string }[];
}

export class Layout {
  readonly rows: Row[] = [];
  readonly noteRows: NoteRow[] = [];
  readonly rowOf = new Map<number, number>(); // of few operations; see `find`
  readonly length: number; // events
  private readonly rank: Uint32Array; // by position: how many shown events come before it
  readonly first: number; // the position of the first event shown

  constructor(readonly history: History, readonly ops: Uint32Array) {
    const h = history;
    const rank = new Uint32Array(h.events + 1);
    for (const op of ops) {
      rank[h.call[op]] = 1;
      if (h.ret[op] !== NONE) rank[h.ret[op]] = 1;
    }
    let sum = 0;
    let first = NONE;
    for (let i = 0; i <= h.events; ++i) {
      const here = rank[i];
      if (here && first === NONE) first = i;
      rank[i] = sum;
      sum += here;
    }
    this.rank = rank;
    this.length = sum;
    this.first = first === NONE ? 0 : first;
    this.makeRows();
    this.makeNotes();
  }

  start(op: number): number {
    return this.rank[this.history.call[op]];
  }
  /// Infinity: it never ends.
  end(op: number): number {
    const ret = this.history.ret[op];
    return ret === NONE ? Infinity : this.rank[ret] + 1;
  }
  /// A place between events of the history, as one between the events shown.
  place(position: number): number {
    const whole = Math.floor(position);
    const at = Math.max(0, Math.min(whole, this.history.events));
    const shown = at < this.history.events && this.rank[at + 1] > this.rank[at];
    return this.rank[at] + (shown ? position - whole : 0);
  }
  shows(op: number): boolean {
    let low = 0, high = this.ops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ops[middle] < op) low = middle + 1;
      else high = middle;
    }
    return this.ops[low] === op;
  }
  find(op: number): number {
    const name = this.history.processes[this.history.process[op]];
    return this.rows.findIndex((row) => row.name === name && row.ops[this.after(row, this.start(op)) - 1] === op);
  }
  /// The first operation of the row that is called behind that place.
  after(row: Row, place: number): number {
    let low = 0, high = row.ops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.start(row.ops[middle]) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private makeRows(): void {
    const h = this.history;
    const size = new Uint32Array(h.processes.length);
    for (const op of this.ops) ++size[h.process[op]];
    const by = Array.from(size, (n) => new Uint32Array(n));
    const filled = new Uint32Array(h.processes.length);
    for (const op of this.ops) by[h.process[op]][filled[h.process[op]]++] = op;
    const shown = h.processes.map((name, p) => ({ name, p })).filter(({ p }) => size[p] > 0);
    shown.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
    for (const { name, p } of shown) this.addLanes(name, by[p]);
  }
  private addLanes(name: string, ops: Uint32Array): void {
    const ends: number[] = [];
    const lane = new Uint32Array(ops.length);
    for (let i = 0; i < ops.length; ++i) {
      const start = this.start(ops[i]);
      let k = ends.findIndex((end) => end <= start);
      if (k < 0) k = ends.push(0) - 1;
      ends[k] = this.end(ops[i]);
      lane[i] = k;
    }
    for (let k = 0; k < ends.length; ++k)
      this.rows.push({ name, lane: k, ops: ends.length === 1 ? ops : ops.filter((_, i) => lane[i] === k) });
  }
  private makeNotes(): void {
    const rows = new Map<string, NoteRow>();
    const last = this.history.events;
    for (const note of this.history.notes) {
      // Those between the first and the last event shown, and at most one event outside.
      const at = this.rank[Math.min(note.position, last)];
      let row = rows.get(note.row);
      if (!row) rows.set(note.row, (row = { name: note.row, notes: [] }));
      row.notes.push({ at, text: note.text });
    }
    this.noteRows.push(...rows.values());
  }
}

export function allOf(h: History): Uint32Array {
  return Uint32Array.from({ length: h.size }, (_, i) => i);
}
