// SPDX-License-Identifier: MIT
// Only this process, operation, object or key.
import { h } from "./dom";
import { everything, Filter, isEmpty } from "./find";
import { History } from "./history";
import { elide } from "./report";

const MOST = 2000; // choices of one list

export class FilterBar {
  filter: Filter = { ...everything };
  readonly elements: HTMLElement[] = [];
  private readonly selects = new Map<keyof Filter, HTMLSelectElement>();

  constructor(history: History | null, private readonly changed: () => void) {
    if (!history) return;
    this.add("process", "process", history.processes);
    this.add("method", "operation", history.methods);
    this.add("object", "object", history.objects);
    this.add("key", "key", history.keys.filter((k) => k !== ""));
  }
  get isEmpty(): boolean {
    return isEmpty(this.filter);
  }
  /// The lists show the choice even if it is not one of theirs, such as all keys of a partition.
  update(): void {
    for (const [name, select] of this.selects) {
      const wanted = this.filter[name];
      if (![...select.options].some((o) => o.value === wanted)) select.append(h("option", { value: wanted }, elide(wanted, 30)));
      select.value = wanted;
    }
  }
  private add(name: keyof Filter, title: string, values: string[]): void {
    if (values.length < 2) return;
    const sorted = [...values].sort((a, b) => a.localeCompare(b, "en", { numeric: true })).slice(0, MOST);
    const select = h("select", { "aria-label": `Only this ${title}`, change: () => {
      this.filter[name] = select.value;
      this.changed();
    } }, h("option", { value: "" }, `any ${title}`), ...sorted.map((v) => h("option", { value: v }, elide(v, 30))));
    this.selects.set(name, select);
    this.elements.push(select);
  }
}
