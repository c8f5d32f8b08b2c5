// SPDX-License-Identifier: MIT
// What is in view, as a picture.
import { CanvasPainter, SvgPainter } from "./painter";
import { Timeline } from "./timeline";

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function saveSvg(timeline: Timeline, name: string): void {
  const painter = new SvgPainter();
  timeline.paint(painter);
  const text = painter.result(timeline.width, timeline.height, timeline.colours.background);
  save(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
}

export function savePng(timeline: Timeline, name: string): void {
  const ratio = 2;
  const canvas = document.createElement("canvas");
  canvas.width = timeline.width * ratio;
  canvas.height = timeline.height * ratio;
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  context.fillStyle = timeline.colours.background;
  context.fillRect(0, 0, timeline.width, timeline.height);
  timeline.paint(new CanvasPainter(context));
  canvas.toBlob((blob) => blob && save(blob, `${name}.png`));
}
