// SPDX-License-Identifier: MIT
// The mouse on the picture: the wheel zooms, dragging pans, a click selects; and the text beside the pointer.
import { fill, h } from "./dom";
import { Timeline } from "./timeline";

export interface Pointed {
  hover: (op: number | null, at?: PointerEvent) => void;
  select: (op: number | null) => void;
}

export function listenToPointer(t: Timeline, pointed: Pointed): void {
  const c = t.canvas;
  c.addEventListener("wheel", (e) => {
    e.preventDefault();
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) t.pan(e.deltaX || e.deltaY);
    else t.zoom(Math.exp(-e.deltaY * 0.0015), e.offsetX);
  }, { passive: false });
  let from: { x: number; y: number; moved: boolean } | null = null;
  c.addEventListener("pointerdown", (e) => {
    from = { x: e.offsetX, y: e.offsetY, moved: false };
    c.setPointerCapture(e.pointerId);
  });
  c.addEventListener("pointermove", (e) => {
    if (!from) return pointed.hover(t.opAt(e.offsetX, e.offsetY), e);
    const dx = from.x - e.offsetX, dy = from.y - e.offsetY;
    if (!from.moved && Math.hypot(dx, dy) <= 3) return;
    t.pan(dx);
    t.scroll(dy);
    from = { x: e.offsetX, y: e.offsetY, moved: true };
  });
  c.addEventListener("pointerup", (e) => {
    if (from && !from.moved) pointed.select(t.opAt(e.offsetX, e.offsetY));
    from = null;
  });
  c.addEventListener("pointerleave", () => pointed.hover(null));
}

/// The text beside the pointer.
export class Tip {
  readonly element = h("div", { class: "tip", hidden: true });

  say(...children: (Node | null)[]): void {
    fill(this.element, ...children);
  }
  /// Null: nothing is pointed at.
  place(at: PointerEvent | null): void {
    const e = this.element;
    e.hidden = at === null;
    if (!at) return;
    e.style.left = `${Math.min(at.clientX + 14, innerWidth - e.offsetWidth - 8)}px`;
    e.style.top = `${Math.min(at.clientY + 16, innerHeight - e.offsetHeight - 8)}px`;
  }
}
