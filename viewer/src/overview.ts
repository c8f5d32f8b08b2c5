// SPDX-License-Identifier: MIT
// The strip below the picture: all shown operations, their density over time, the part in view,
// and where the culprit and the matches are. A click or a drag goes there.
import { Layout } from "./layout";
import { GUTTER_WIDTH, Timeline } from "./timeline";

export class Overview {
  private counts: { layout: Layout; width: number; matches: Uint8Array | null; load: Uint32Array; found: Uint8Array } | null = null;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly timeline: Timeline) {
    const go = (e: PointerEvent) => {
      const place = ((e.offsetX - GUTTER_WIDTH) / this.plot) * timeline.layout.length;
      timeline.offset = place - timeline.plot / timeline.scale / 2;
      timeline.moved();
    };
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      go(e);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (canvas.hasPointerCapture(e.pointerId)) go(e);
    });
  }
  private get plot(): number {
    return Math.max(50, this.canvas.clientWidth - GUTTER_WIDTH);
  }

  private measure(width: number): NonNullable<Overview["counts"]> {
    const { layout, marks } = this.timeline;
    if (this.counts && this.counts.layout === layout && this.counts.width === width && this.counts.matches === marks.matches)
      return this.counts;
    const load = new Uint32Array(width), found = new Uint8Array(width);
    const label = layout.history.label;
    for (const op of layout.ops) {
      const at = Math.min(width - 1, Math.floor((layout.start(op) / Math.max(1, layout.length)) * width));
      ++load[at];
      if (marks.matches && marks.matches[label[op]]) found[at] = 1;
    }
    return (this.counts = { layout, width, matches: marks.matches, load, found });
  }

  draw(): void {
    if (this.canvas.hidden) return;
    const { timeline } = this;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    const ratio = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const c = this.canvas.getContext("2d")!, colours = timeline.colours;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const plot = Math.floor(this.plot);
    const { load, found } = this.measure(plot);
    let most = 1;
    for (const n of load) most = Math.max(most, n);
    const few = timeline.layout.ops.length < plot / 4;
    c.fillStyle = colours.bar;
    for (let x = 0; x < plot; ++x)
      if (load[x]) {
        const tall = Math.max(3, (load[x] / most) * (height - 10));
        c.fillRect(GUTTER_WIDTH + x, height - 4 - tall, few ? 3 : 1, tall);
      }
    c.fillStyle = colours.match;
    for (let x = 0; x < plot; ++x) if (found[x]) c.fillRect(GUTTER_WIDTH + x - 1, 0, 2, 5);
    const scale = plot / Math.max(1, timeline.layout.length);
    const { culprit, left } = timeline.marks;
    if (culprit !== null && timeline.layout.shows(culprit)) {
      c.fillStyle = colours.culprit;
      c.fillRect(GUTTER_WIDTH + Math.min(timeline.layout.end(culprit), timeline.layout.length) * scale - 1.5, 0, 3, height);
    }
    if (left && left.at > 0) {
      c.fillStyle = colours.quiet;
      c.fillRect(GUTTER_WIDTH + left.at * scale - 1, 0, 2, height);
    }
    for (const row of timeline.layout.noteRows) {
      c.fillStyle = colours.note;
      for (const note of row.notes) c.fillRect(GUTTER_WIDTH + note.at * scale, 0, 1, 6);
    }
    const from = Math.max(0, timeline.offset * scale);
    const to = Math.min(plot, (timeline.offset + timeline.plot / timeline.scale) * scale);
    c.strokeStyle = colours.quiet;
    c.lineWidth = 1.5;
    c.strokeRect(GUTTER_WIDTH + from + 0.75, 1.5, Math.max(4, to - from - 1.5), height - 3);
  }
}
