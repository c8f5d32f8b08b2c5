// SPDX-License-Identifier: MIT
// A few lines of a source file around one of them, as of the time of the report.
import { h } from "./dom";
import { baseName, Extras } from "./report";

export function excerpt(extras: Extras, file: string | undefined, line: number | null | undefined, around = 4): HTMLElement | null {
  if (!file || !line) return null;
  const pieces = extras.sources?.[file];
  const piece = pieces?.find(([first, lines]) => line >= first && line < first + lines.length);
  if (!piece) return h("p", { class: "quiet" }, `${baseName(file)}:${line} (its text is not in this report)`);
  const [first, lines] = piece;
  const from = Math.max(first, line - around), to = Math.min(first + lines.length, line + around + 1);
  const rows: HTMLElement[] = [];
  for (let l = from; l < to; ++l)
    rows.push(h("div", { class: l === line ? "here" : "" },
      h("span", { class: "number" }, String(l)), h("span", {}, lines[l - first] || " ")));
  return h("figure", { class: "source" }, h("figcaption", {}, `${baseName(file)}:${line}`), h("pre", {}, ...rows));
}
