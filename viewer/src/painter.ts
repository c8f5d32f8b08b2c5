// SPDX-License-Identifier: MIT
// The targets of drawing: a canvas, or the text of an SVG file. Both are drawn by the same code.

declare global {
  interface CanvasRenderingContext2D {
    roundRect(x: number, y: number, w: number, h: number, radius: number): void;
  }
}

export interface Painter {
  rect(x: number, y: number, w: number, h: number, fill: string, radius?: number): void;
  frame(x: number, y: number, w: number, h: number, stroke: string, radius?: number, width?: number): void;
  line(x0: number, y0: number, x1: number, y1: number, stroke: string, width?: number, dash?: number[]): void;
  circle(x: number, y: number, r: number, fill: string): void;
  text(x: number, y: number, text: string, fill: string, font: Font, align?: "left" | "center" | "right"): void;
  within(x: number, y: number, w: number, h: number, draw: () => void): void;
}

export interface Font {
  size: number;
  family: "mono" | "sans";
  bold?: boolean;
}

export const MONO = 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
export const SANS = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
const css = (f: Font) => `${f.bold ? "600 " : ""}${f.size}px ${f.family === "mono" ? MONO : SANS}`;

const measuring = document.createElement("canvas").getContext("2d")!;
const widths = new Map<string, number>();
/// The width of one character of the monospaced font of the labels.
export function charWidth(font: Font): number {
  const key = css(font);
  let width = widths.get(key);
  if (width === undefined) {
    measuring.font = key;
    widths.set(key, (width = measuring.measureText("0").width));
  }
  return width;
}
export function textWidth(text: string, font: Font): number {
  measuring.font = css(font);
  return measuring.measureText(text).width;
}

/// Cut to what fits.
export function fitted(text: string, font: Font, width: number): string {
  if (text.length > 200) text = text.slice(0, 200);
  if (textWidth(text, font) <= width) return text;
  while (text.length > 1 && textWidth(text + "…", font) > width) text = text.slice(0, -1);
  return text + "…";
}

export class CanvasPainter implements Painter {
  private font = "";
  constructor(private readonly c: CanvasRenderingContext2D) {
    c.textBaseline = "middle";
    c.direction = "ltr";
  }
  rect(x: number, y: number, w: number, h: number, fill: string, radius = 0): void {
    this.c.fillStyle = fill;
    if (radius > 0 && w > 3) {
      this.c.beginPath();
      this.c.roundRect(x, y, w, h, Math.min(radius, w / 2));
      this.c.fill();
    } else {
      this.c.fillRect(x, y, w, h);
    }
  }
  frame(x: number, y: number, w: number, h: number, stroke: string, radius = 0, width = 1): void {
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.beginPath();
    this.c.roundRect(x, y, w, h, Math.min(radius, w / 2));
    this.c.stroke();
  }
  line(x0: number, y0: number, x1: number, y1: number, stroke: string, width = 1, dash: number[] = []): void {
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    if (dash.length > 0) this.c.setLineDash(dash);
    this.c.beginPath();
    this.c.moveTo(x0, y0);
    this.c.lineTo(x1, y1);
    this.c.stroke();
    if (dash.length > 0) this.c.setLineDash([]);
  }
  circle(x: number, y: number, r: number, fill: string): void {
    this.c.fillStyle = fill;
    this.c.beginPath();
    this.c.arc(x, y, r, 0, 7);
    this.c.fill();
  }
  text(x: number, y: number, text: string, fill: string, font: Font, align: CanvasTextAlign = "left"): void {
    const wanted = css(font);
    if (wanted !== this.font) this.c.font = this.font = wanted; // parsing it is slow
    this.c.textAlign = align;
    this.c.fillStyle = fill;
    this.c.fillText(text, x, y);
  }
  within(x: number, y: number, w: number, h: number, draw: () => void): void {
    this.c.save();
    this.c.beginPath();
    this.c.rect(x, y, w, h);
    this.c.clip();
    draw();
    this.c.restore();
    this.font = "";
  }
}

export class SvgPainter implements Painter {
  private readonly parts: string[] = [];
  private clips = 0;

  result(width: number, height: number, background: string): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="${background}"/>\n` +
      this.parts.join("\n") + "\n</svg>\n";
  }
  rect(x: number, y: number, w: number, h: number, fill: string, radius = 0): void {
    this.parts.push(`<rect ${box(x, y, w, h, radius)} fill="${fill}"/>`);
  }
  frame(x: number, y: number, w: number, h: number, stroke: string, radius = 0, width = 1): void {
    this.parts.push(`<rect ${box(x, y, w, h, radius)} fill="none" stroke="${stroke}" stroke-width="${width}"/>`);
  }
  line(x0: number, y0: number, x1: number, y1: number, stroke: string, width = 1, dash: number[] = []): void {
    this.parts.push(`<line x1="${n(x0)}" y1="${n(y0)}" x2="${n(x1)}" y2="${n(y1)}" stroke="${stroke}" ` +
      `stroke-width="${width}"${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`);
  }
  circle(x: number, y: number, r: number, fill: string): void {
    this.parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${fill}"/>`);
  }
  text(x: number, y: number, text: string, fill: string, font: Font, align = "left"): void {
    const anchor = align === "left" ? "start" : align === "right" ? "end" : "middle";
    const family = (font.family === "mono" ? MONO : SANS).replace(/"/g, "'");
    this.parts.push(`<text x="${n(x)}" y="${n(y)}" fill="${fill}" font-family="${family}" font-size="${font.size}" ` +
      `${font.bold ? 'font-weight="600" ' : ""}text-anchor="${anchor}" dominant-baseline="central" ` +
      `xml:space="preserve">${escaped(text)}</text>`);
  }
  within(x: number, y: number, w: number, h: number, draw: () => void): void {
    const id = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><rect ${box(x, y, w, h, 0)}/></clipPath><g clip-path="url(#${id})">`);
    draw();
    this.parts.push("</g>");
  }
}

const n = (x: number) => Math.round(x * 100) / 100;
const box = (x: number, y: number, w: number, h: number, r: number) =>
  `x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, w))}" height="${n(h)}"${r ? ` rx="${Math.min(r, w / 2)}"` : ""}`;
function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
    .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
