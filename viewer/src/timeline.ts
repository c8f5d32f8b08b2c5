// SPDX-License-Identifier: MIT
// The picture: one row per process, time to the right, one bar per operation from its call to its return.
//
// A million operations are drawn as fast as ten: in each row, at most one bar per pixel. Where a bar
// is narrower than that, the next bar is the first one that is called behind that pixel, found by
// bisection; so a frame costs rows x pixels x log(operations), at every zoom.
import { NONE, print } from "./history";
import { Layout, Row } from "./layout";
import { CanvasPainter, charWidth, fitted, Font, Painter, textWidth } from "./painter";
import { elide } from "./report";
import { Colours } from "./theme";

/// The marks beside the operations.
export interface Marks {
  culprit: number | null;
  verdict: string; // the text at the culprit
  strong: Set<number> | null; // the highlighted ones; null: all
  matches: Uint8Array | null; // of a search, by label
  selected: number | null;
  hovered: number | null;
  badges: Map<number, string>; // beside an operation
  order: Map<number, number> | null; // stepping: the places of the linearized operations
  next: number | null; // stepping: the next operation
  left: { state: string; at: number } | null; // the forced state, and the place of the cut
  moments: Float64Array | null; // steps of a program or a model: places among the events
  momentRow: string[] | null; // whose steps they are
  cursor: number | null; // which of them
  loopFrom: number | null; // a lasso: where the loop begins
  forever: string; // the text at an operation that never returns in a stuck history
}

export function noMarks(): Marks {
  return {
    culprit: null, verdict: "", strong: null, matches: null, selected: null, hovered: null, badges: new Map(),
    order: null, next: null, left: null, moments: null, momentRow: null, cursor: null, loopFrom: null, forever: "",
  };
}

const GUTTER = 120, AXIS = 26, NOTE = 22;
const SMALL: Font = { size: 11, family: "sans" };
const NAME: Font = { size: 12, family: "sans" };
const SAID: Font = { size: 12, family: "sans", bold: true };
/// Room for text left of the first event, and right of the last.
const LEFT_MARGIN = 0.04, RIGHT_MARGIN = 0.04;

export class Timeline {
  offset = 0; // the place at the left edge
  scale = 1; // pixels per event
  top = 0; // pixels that the rows are scrolled
  width = 0;
  height = 0;
  marks = noMarks();
  drawn = 0; // frames

  constructor(
    readonly canvas: HTMLCanvasElement,
    public layout: Layout,
    public colours: Colours,
    private readonly whenMoved: () => void,
  ) {}

  // ---- where things are

  get rowHeight(): number {
    const rows = this.layout.rows.length;
    return rows <= 6 ? 46 : rows <= 12 ? 34 : 24;
  }
  get head(): number {
    return AXIS + NOTE * this.layout.noteRows.length;
  }
  get contentHeight(): number {
    return this.head + this.rowHeight * this.layout.rows.length + 10;
  }
  get plot(): number {
    return Math.max(50, this.width - GUTTER);
  }
  /// Room at the right edge for the text behind the culprit, in events of the given scale.
  private room(scale: number): number {
    const { culprit, verdict } = this.marks;
    if (culprit === null || !this.layout.shows(culprit)) return 0;
    const said = textWidth(`◀ ${verdict}`, SAID) + 16;
    const end = Math.min(this.layout.end(culprit), this.layout.length);
    return Math.max(0, said / scale - (this.layout.length - end));
  }
  private get fitted(): number {
    const length = Math.max(1, this.layout.length);
    const most = (this.plot * (1 - LEFT_MARGIN - RIGHT_MARGIN)) / length;
    const said = this.marks.culprit === null ? 0 : textWidth(`◀ ${this.marks.verdict}`, SAID) + 16;
    const end = this.marks.culprit === null || !this.layout.shows(this.marks.culprit)
      ? 0 : Math.min(this.layout.end(this.marks.culprit), this.layout.length);
    const leaving = end > 0 ? (this.plot * (1 - LEFT_MARGIN) - said) / end : most;
    return Math.min(most, Math.max(leaving, most / 3));
  }
  get smallest(): number {
    return Math.min(this.fitted, 20);
  }
  x(place: number): number {
    return GUTTER + (place - this.offset) * this.scale;
  }
  placeAt(x: number): number {
    return this.offset + (x - GUTTER) / this.scale;
  }
  y(row: number): number {
    return this.head + row * this.rowHeight - this.top;
  }
  opAt(x: number, y: number): number | null {
    if (x < GUTTER || y < this.head) return null;
    const row = this.layout.rows[Math.floor((y - this.head + this.top) / this.rowHeight)];
    if (!row) return null;
    const at = this.layout.after(row, this.placeAt(x)) - 1;
    for (const i of [at, at + 1]) {
      const op = row.ops[i];
      if (op === undefined) continue;
      const [from, to] = this.span(op);
      if (x >= from - 3 && x <= Math.max(to, from + 4)) return op;
    }
    return null;
  }
  /// From where to where it is drawn.
  private span(op: number): [number, number] {
    const gap = Math.min(0.14, 3 / this.scale);
    const end = this.layout.end(op);
    return [this.x(this.layout.start(op) + gap), end === Infinity ? this.width : this.x(end - gap)];
  }

  // ---- moving

  resize(width: number, height: number): void {
    const fit = this.width === 0;
    this.width = width;
    this.height = height;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (fit) this.fit();
    else this.moved();
  }
  show(layout: Layout): void {
    this.layout = layout;
    this.top = 0;
    if (this.width > 0) this.fit();
  }
  fit(): void {
    this.scale = this.fitted;
    this.offset = (-LEFT_MARGIN * this.plot) / this.scale;
    this.moved();
  }
  zoom(factor: number, x = GUTTER + this.plot / 2): void {
    const place = this.placeAt(x);
    this.scale = Math.max(this.smallest, Math.min(400, this.scale * factor));
    this.offset = place - (x - GUTTER) / this.scale;
    this.moved();
  }
  pan(pixels: number): void {
    this.offset += pixels / this.scale;
    this.moved();
  }
  scroll(pixels: number): void {
    this.top += pixels;
    this.moved();
  }
  /// Scrolls it into view, with a margin.
  reveal(op: number, scale = this.scale): void {
    if (!this.layout.shows(op)) return;
    const row = this.layout.find(op);
    const start = this.layout.start(op);
    const end = Math.min(this.layout.end(op), start + 1 + 0.5 * this.plot / scale);
    const inside = start > this.offset && this.x(end) < this.width - 20 && scale === this.scale;
    this.scale = Math.max(this.smallest, scale);
    if (!inside) this.offset = (start + end) / 2 - this.plot / 2 / this.scale;
    const y = this.y(row);
    if (y < this.head) this.top -= this.head - y;
    else if (y + this.rowHeight > this.height) this.top += y + this.rowHeight - this.height;
    this.moved();
  }
  revealPlace(place: number): void {
    const x = this.x(place);
    if (x < GUTTER + 10 || x > this.width - 30) this.offset = place - this.plot / 2 / this.scale;
    this.moved();
  }
  moved(): void {
    const left = (LEFT_MARGIN * this.plot) / this.scale;
    const right = (RIGHT_MARGIN * this.plot) / this.scale + this.room(this.scale);
    const most = this.layout.length + right - this.plot / this.scale;
    this.offset = Math.max(-left, Math.min(this.offset, Math.max(most, -left)));
    this.top = Math.max(0, Math.min(this.top, this.contentHeight - this.height));
    this.whenMoved();
  }

  // ---- drawing

  draw(): void {
    const context = this.canvas.getContext("2d")!;
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.paint(new CanvasPainter(context));
    ++this.drawn;
  }

  paint(p: Painter): void {
    const first = Math.max(0, Math.floor(this.top / this.rowHeight));
    const last = Math.min(this.layout.rows.length, first + Math.ceil(this.height / this.rowHeight) + 1);
    p.within(0, this.head, this.width, this.height - this.head, () => {
      for (let r = first; r < last; ++r) {
        const y = this.y(r);
        p.line(0, y + this.rowHeight - 0.5, this.width, y + this.rowHeight - 0.5, this.colours.faint);
      }
      p.within(GUTTER, this.head, this.plot, this.height, () => {
        this.paintLeft(p);
        for (let r = first; r < last; ++r) this.paintRow(p, this.layout.rows[r], this.y(r));
        this.paintSteps(p, first, last);
        this.paintCulprit(p);
      });
      for (let r = first; r < last; ++r) this.paintName(p, this.layout.rows[r], this.y(r) + this.rowHeight / 2);
    });
    this.paintAxis(p);
    this.paintNotes(p);
  }

  private paintName(p: Painter, row: Row, y: number): void {
    if (row.lane > 0) return;
    const plain = /^\d+$/.test(row.name) ? `process ${row.name}` : row.name;
    p.text(GUTTER - 14, y, fitted(plain, NAME, GUTTER - 22), this.colours.quiet, NAME, "right");
  }

  private paintRow(p: Painter, row: Row, y: number): void {
    const { layout } = this;
    const pad = this.rowHeight > 30 ? 7 : 3;
    const height = this.rowHeight - 2 * pad;
    const right = this.placeAt(this.width);
    let i = Math.max(0, layout.after(row, this.offset) - 1);
    let narrow = -1, narrowEnd = -1; // bars that are too narrow are merged
    const flush = () => {
      if (narrow >= 0) p.rect(narrow, y + pad, Math.max(1, narrowEnd - narrow), height, this.colours.bar);
      narrow = -1;
    };
    while (i < row.ops.length && layout.start(row.ops[i]) <= right) {
      const op = row.ops[i];
      const [from, to] = this.span(op);
      if (to - from >= 3) {
        flush();
        this.paintBar(p, op, from, to, y + pad, height);
        ++i;
        continue;
      }
      if (this.isMarked(op)) {
        flush();
        this.paintBar(p, op, from, Math.max(to, from + 2), y + pad, height);
        ++i;
        continue;
      }
      if (narrow < 0 || from > narrowEnd + 1) {
        flush();
        narrow = from;
      }
      narrowEnd = Math.max(to, from + 1);
      ++i;
      if (this.scale < 1) i = Math.max(i, this.skip(row, i, from + 1));
    }
    flush();
    if (this.scale < 1) this.paintFew(p, row, y + pad, height);
  }
  /// The first operation from `i` on that is called behind x: searches nearby first.
  private skip(row: Row, i: number, x: number): number {
    const place = this.placeAt(x) - 1;
    let step = 1;
    while (i + step < row.ops.length && this.layout.start(row.ops[i + step]) <= place) step *= 2;
    let low = i + (step >> 1), high = Math.min(row.ops.length, i + step);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.layout.start(row.ops[middle]) <= place) low = middle + 1;
      else high = middle;
    }
    return step === 1 ? i : low;
  }
  private isMarked(op: number): boolean {
    return op === this.marks.culprit || op === this.marks.selected;
  }
  /// The operations that must be visible even if they are narrow.
  private paintFew(p: Painter, row: Row, y: number, height: number): void {
    for (const op of [this.marks.culprit, this.marks.selected]) {
      if (op === null || !this.layout.shows(op) || row.ops[this.layout.after(row, this.layout.start(op)) - 1] !== op)
        continue;
      const [from, to] = this.span(op);
      this.paintBar(p, op, from, Math.max(to, from + 3), y, height);
    }
  }

  private paintBar(p: Painter, op: number, from: number, to: number, y: number, height: number): void {
    const m = this.marks, c = this.colours, h = this.layout.history;
    const pending = h.ret[op] === NONE;
    const linearized = m.order?.has(op) ?? false;
    let fill = c.bar, ink = c.barText;
    if (op === m.culprit) [fill, ink] = [c.culprit, c.culpritText];
    else if (linearized) [fill, ink] = [c.done, c.doneText];
    else if (m.order !== null || (m.strong !== null && !m.strong.has(op))) [fill, ink] = [c.weak, c.weakText];
    const start = Math.max(from, GUTTER - 20), end = Math.min(to, this.width + 20);
    p.rect(start, y, end - start, height, fill, 5);
    if (pending) {
      // It has no end: the bar breaks off.
      for (let x = Math.min(end, this.width) - 30, k = 1; k <= 5; ++k, x += 6)
        p.rect(x, y, k, height, c.background);
    }
    if (m.matches && m.matches[h.label[op]]) p.frame(start + 1, y + 1, end - start - 2, height - 2, c.match, 4, 2);
    if (op === m.next) p.frame(start - 1, y - 1, end - start + 2, height + 2, c.cursor, 6, 2);
    if (op === m.selected) p.frame(start - 2.5, y - 2.5, end - start + 5, height + 5, c.text, 7, 1.5);
    else if (op === m.hovered) p.frame(start - 1.5, y - 1.5, end - start + 3, height + 3, c.quiet, 6, 1);
    const visible = Math.max(start, GUTTER);
    const width = Math.min(end, this.width) - visible;
    if (width < 18) return;
    let x = visible + 8;
    if (linearized && width > 30) {
      const number = String(m.order!.get(op)! + 1);
      p.text(x, y + height / 2, number, c.cursor, { size: 11, family: "sans", bold: true });
      x += 8 + 7 * number.length;
    }
    const font: Font = { size: this.rowHeight > 30 ? 13 : 11, family: "mono" };
    const room = Math.floor((visible + width - 6 - x) / charWidth(font));
    if (room >= 2) {
      const text = print(h, op);
      // Others are wider, or run to the left: they are kept inside.
      const plain = /^[\x20-\x7e…]*$/.test(text);
      const shown = elide(text, Math.max(1, room));
      if (plain) p.text(x, y + height / 2, shown, ink, font);
      else p.within(x, y, visible + width - 6 - x, height, () => p.text(x, y + height / 2, shown, ink, font));
    }
    const badge = m.badges.get(op);
    if (badge && width > 60) {
      const wide = textWidth(badge, SMALL) + 12;
      const colour = m.culprit === null ? c.quiet : c.culprit;
      p.rect(Math.min(end, this.width) - wide - 4, y + height - 9, wide, 16, c.panel, 8);
      p.frame(Math.min(end, this.width) - wide - 4, y + height - 9, wide, 16, colour, 8);
      p.text(Math.min(end, this.width) - 10, y + height - 1, badge, colour, SMALL, "right");
    }
  }

  private paintCulprit(p: Painter): void {
    const { culprit, verdict } = this.marks;
    if (culprit === null || !this.layout.shows(culprit)) return;
    const row = this.layout.find(culprit);
    const y = this.y(row) + this.rowHeight / 2;
    const [from, to] = this.span(culprit);
    const never = this.layout.end(culprit) === Infinity;
    if (!never) p.line(to, this.head, to, this.height, this.colours.culprit, 1, [3, 3]);
    const wide = textWidth(`◀ ${verdict}`, SAID);
    if (never) {
      const x = Math.min(this.width - 40, this.x(this.layout.length)) - wide;
      if (x > from + 60) {
        p.rect(x - 6, y - 10, wide + 4, 20, this.colours.culprit);
        p.text(x, y, verdict, this.colours.culpritText, SAID);
      }
    } else if (to + 8 + wide < this.width + 40) {
      p.rect(to + 3, y - 10, wide + 10, 20, this.colours.background, 4);
      p.text(to + 8, y, `◀ ${verdict}`, this.colours.culprit, SAID);
    }
  }

  private paintLeft(p: Painter): void {
    const { left } = this.marks;
    if (!left) return;
    const x = this.x(left.at);
    if (x < GUTTER - 1) return;
    p.rect(GUTTER, this.head, Math.max(4, x - GUTTER), this.height, this.colours.weak);
    p.line(x, this.head, x, this.height, this.colours.quiet, 2);
  }

  /// Steps of a program or a model, as ticks in their row, and the cursor.
  private paintSteps(p: Painter, first: number, last: number): void {
    const { moments, momentRow, cursor, loopFrom } = this.marks;
    if (!moments || !momentRow) return;
    for (let r = first; r < last; ++r) {
      const row = this.layout.rows[r];
      if (row.lane > 0) continue;
      const y = this.y(r) + this.rowHeight - 5;
      for (let i = 0; i < moments.length; ++i) {
        if (momentRow[i] !== row.name) continue;
        p.circle(this.x(this.layout.place(moments[i])), y, i === cursor ? 4 : 2, i === cursor ? this.colours.cursor : this.colours.quiet);
      }
    }
    if (loopFrom !== null && loopFrom < moments.length) {
      const from = this.x(this.layout.place(moments[loopFrom])) - 6;
      const to = this.x(this.layout.place(moments[moments.length - 1])) + 6;
      p.line(from, this.head + 4, to, this.head + 4, this.colours.culprit, 2);
      p.line(from, this.head + 4, from, this.height, this.colours.culprit, 1, [3, 3]);
      p.text(from + 6, this.head + 14, "↻ forever", this.colours.culprit, SMALL);
    }
    if (cursor !== null && cursor < moments.length) {
      const x = this.x(this.layout.place(moments[cursor]));
      p.line(x, this.head, x, this.height, this.colours.cursor, 1.5);
    }
  }

  private paintAxis(p: Painter): void {
    const { layout, colours: c } = this;
    const h = layout.history;
    p.line(0, this.head - 0.5, this.width, this.head - 0.5, c.faint);
    p.text(GUTTER - 14, AXIS / 2, h.line ? "line" : "event", c.quiet, SMALL, "right");
    const step = niceStep(70 / this.scale);
    const wanted = new Set<number>();
    for (let k = Math.max(0, Math.ceil(this.offset / step) * step); k < layout.length && this.x(k) < this.width; k += step)
      wanted.add(k);
    for (const k of wanted) {
      const said = h.line ? this.lineAt(k) : k + 1;
      if (said) p.text(this.x(k + 0.5), AXIS / 2, String(said), c.quiet, SMALL, "center");
    }
    const { left } = this.marks;
    if (left && this.x(left.at) >= GUTTER - 1 && this.x(left.at) < this.width) {
      const said = elide(`state ${left.state}`, 60);
      const x = this.x(left.at);
      p.rect(x, 3, textWidth(said, SMALL) + 14, AXIS - 6, c.panel, 4);
      p.text(x + 7, AXIS / 2, said, c.text, SMALL);
    }
  }
  /// The line of a shown event.
  private lineAt(place: number): number {
    if (!this.lines) this.lines = new WeakMap();
    let lines = this.lines.get(this.layout);
    if (!lines) {
      const h = this.layout.history;
      lines = new Uint32Array(this.layout.length);
      for (const op of this.layout.ops) {
        lines[this.layout.start(op)] = h.line![op];
        if (h.ret[op] !== NONE) lines[this.layout.end(op) - 1] = h.returnLine![op];
      }
      this.lines.set(this.layout, lines);
    }
    return lines[place];
  }
  private lines: WeakMap<Layout, Uint32Array> | null = null;

  private paintNotes(p: Painter): void {
    this.layout.noteRows.forEach((row, r) => {
      const y = AXIS + NOTE * r + NOTE / 2;
      p.text(GUTTER - 14, y, fitted(row.name, NAME, GUTTER - 22), this.colours.note, NAME, "right");
      p.within(GUTTER, AXIS + NOTE * r, this.plot, NOTE, () => {
        let free = -Infinity;
        const from = firstNote(row.notes, this.offset - 1);
        for (let i = from; i < row.notes.length; ++i) {
          const x = this.x(row.notes[i].at);
          if (x > this.width) break;
          if (x < free - 3) continue;
          p.line(x, y - 8, x, y + 8, this.colours.note, 2);
          const next = row.notes[i + 1] ? this.x(row.notes[i + 1].at) : this.width;
          const room = Math.floor((next - x - 12) / charWidth({ size: 11, family: "mono" }));
          if (room >= 3) p.text(x + 6, y, elide(row.notes[i].text, room), this.colours.note, { size: 11, family: "mono" });
          free = x + 2;
        }
      });
    });
  }
}

function firstNote(notes: { at: number }[], place: number): number {
  let low = 0, high = notes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (notes[middle].at < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// 1, 2, 5, 10, 20, ...
function niceStep(least: number): number {
  let step = 1;
  while (step < least) step = step * 2 < least ? (step * 5 < least ? step * 10 : step * 5) : step * 2;
  return step;
}

export const GUTTER_WIDTH = GUTTER;
