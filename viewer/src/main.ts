// SPDX-License-Identifier: MIT
// The page: verdict, picture, words, and what connects them.
import { readPages } from "./decode";
import { describe } from "./description";
import { fill, foreign, h } from "./dom";
import { savePng, saveSvg } from "./export";
import { FilterBar } from "./filter_bar";
import { everything, filtered } from "./find";
import { History } from "./history";
import { Interleaving } from "./interleaving";
import { helpDialog, Key, listen } from "./keys";
import { Layout } from "./layout";
import { readLink, writeLink } from "./link";
import { byLine, overtaking } from "./overtaking";
import { Overview } from "./overview";
import { headline, OperationsPanel, partitionsPanel, quasiPanel, scopePanel, subtitle, whyPanel } from "./panels";
import { listenToPointer, Tip } from "./pointer";
import { apart, baseName, count, elide, Page, words } from "./report";
import { SearchBox } from "./search_box";
import { Stepper } from "./stepper";
import { makeSubject, Scope, Subject } from "./subject";
import { colours, isDark, setTheme, Theme } from "./theme";
import { noMarks, Timeline } from "./timeline";
import { Trace } from "./trace";
import { Walk } from "./walk";

interface Tab {
  name: string;
  title: string;
  element: HTMLElement;
  walk?: Walk;
}

const SCOPES: { [scope in Scope]: [string, string] } = {
  focus: ["First sentence", "only the operations that the first sentence names"],
  minimal: ["Counterexample", "what contradicts itself, whatever the other operations did"],
  whole: ["Whole history", "everything that was recorded"],
};

class Viewer {
  private readonly timeline: Timeline;
  private readonly overview: Overview;
  private readonly canvas = h("canvas", { class: "timeline", tabindex: 0, role: "img", "aria-describedby": "status" });
  private readonly strip = h("canvas", { class: "overview", "aria-hidden": "true" });
  private readonly status = h("div", { class: "status", id: "status", role: "status", "aria-live": "polite" });
  private readonly tip = new Tip();
  private readonly searchBox: SearchBox;
  private readonly filters: FilterBar;
  private readonly help: HTMLDialogElement;
  private readonly operations = new OperationsPanel((op) => this.select(op, true));
  private readonly history: History | null;
  private scope: Scope = "whole";
  private selected: number | null = null;
  private theme: Theme = "auto";
  private tabs: Tab[] = [];
  private tab!: Tab;
  private stepper: Stepper | null = null;
  private readonly scopeButtons = new Map<Scope, HTMLButtonElement>();
  private waiting = false;
  private tableTimer = 0;
  private ready = false;

  constructor(private readonly root: HTMLElement, private readonly pages: Page[], private readonly number: number, private readonly s: Subject) {
    this.history = s.history;
    const layout = new Layout(s.history ?? empty(), new Uint32Array());
    this.timeline = new Timeline(this.canvas, layout, colours(), () => this.invalidate());
    this.overview = new Overview(this.strip, this.timeline);
    this.searchBox = new SearchBox(s.history, this.timeline, (op) => this.select(op, true));
    this.filters = new FilterBar(s.history, () => this.relayout());
    const keys = this.keys();
    this.help = helpDialog(keys);
    this.makeTabs();
    this.build();
    listenToPointer(this.timeline, { hover: (op, at) => this.hover(op, at), select: (op) => this.select(op, false) });
    listen(keys);
    const link = readLink();
    if (link.theme === "light" || link.theme === "dark") this.setTheme(link.theme);
    this.searchBox.input.value = link.q ?? "";
    this.searchBox.regex.checked = link.re === "1";
    for (const name of ["process", "method", "key", "object"] as const) this.filters.filter[name] = link[name] ?? "";
    const scope = link.view as Scope;
    this.showScope(this.has(scope) ? scope : this.firstScope());
    if (link.q) this.searchBox.search(false);
    const tab = this.tabs.find((t) => t.name === link.tab) ?? this.tabs[0];
    this.showTab(tab);
    if (link.step && tab.walk) tab.walk.go(Number(link.step));
    if (link.zoom) this.timeline.scale = Number(link.zoom) || this.timeline.scale;
    if (link.at) this.timeline.offset = Number(link.at) || 0;
    if (link.zoom || link.at) this.timeline.moved();
    if (link.op !== undefined && link.op !== "" && this.history && Number(link.op) < this.history.size)
      this.select(Number(link.op), !link.at);
    this.say();
    this.ready = true;
  }

  // ---- building

  private build(): void {
    const r = this.s.report;
    const hasPicture = this.history !== null && this.history.size > 0;
    document.title = `${r.verdict}: ${baseName(r.file)}`;
    const button = (text: string, title: string, click: () => void) => h("button", { click, title, "aria-label": title }, text);
    const choice = this.pages.length > 1
      ? h("select", { "aria-label": "Report", class: "reports", change: (e: Event) => open(Number((e.target as HTMLSelectElement).value)) },
        ...this.pages.map((p, i) => h("option", { value: i, selected: i === this.number },
          `${p.report.verdict}: ${elide(baseName(p.report.file), 40)}${p.which ? `: ${elide(p.which, 60)}` : bounds(p)}`)))
      : null;
    for (const scope of ["focus", "minimal", "whole"] as Scope[]) {
      if (!this.has(scope)) continue;
      const [name, title] = SCOPES[scope];
      this.scopeButtons.set(scope, h("button", { title, click: () => this.showScope(scope) }, name));
    }
    const why = whyPanel(r, this.s.finding, this.s.failure, this.operationsBefore());
    fill(this.root,
      h("header", {},
        h("span", { class: `badge ${r.verdict}` }, r.verdict),
        h("div", { class: "title" },
          h("h1", {}, foreign(baseName(r.file) || "standard input", ""), ": ", foreign(elide(headline(r, this.s.finding, this.s.failure), 160), "")),
          h("p", { class: "quiet" }, subtitle(r))),
        choice,
        h("div", { class: "actions" },
          hasPicture && button("SVG", "Save the picture as SVG", () => saveSvg(this.timeline, this.name())),
          hasPicture && button("PNG", "Save the picture as PNG", () => savePng(this.timeline, this.name())),
          button("◐", "Light or dark (t)", () => this.toggleTheme()),
          button("?", "Keyboard (?)", () => this.help.showModal()))),
      hasPicture && h("div", { class: "toolbar", role: "toolbar", "aria-label": "What is shown" },
        this.scopeButtons.size > 1 && h("div", { class: "switch" }, ...this.scopeButtons.values()),
        this.searchBox.element, ...this.filters.elements,
        h("div", { class: "zoom" },
          button("−", "Zoom out (-)", () => this.timeline.zoom(1 / 1.5)),
          button("+", "Zoom in (+)", () => this.timeline.zoom(1.5)),
          button("Fit", "Show all (0)", () => this.timeline.fit()))),
      hasPicture && h("main", {}, this.canvas, this.strip, this.status),
      h("div", { class: "below" }, why, this.makeTabBar()),
      this.tip.element, this.help);
    const resize = () => this.resize();
    addEventListener("resize", resize);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(this.theme));
  }
  private name(): string {
    return baseName(this.s.report.file).replace(/[^\w.-]+/g, "_") || "history";
  }
  private has(scope: Scope): boolean {
    if (scope === "focus") return this.s.focus !== null;
    if (scope === "minimal") return this.s.minimal !== null;
    return scope === "whole" && (this.s.hasWhole || this.s.minimal === null);
  }
  private firstScope(): Scope {
    return this.s.minimal ? "minimal" : "whole";
  }
  private operationsBefore(): number | null {
    const { left, history } = this.s;
    if (!left || !history || !this.s.hasWhole) return null;
    return history.call.filter((position) => position < left.position).length;
  }

  private makeTabs(): void {
    const { report, page } = this.s;
    const moved = () => this.stepped();
    const e = report.evidence;
    if (this.s.threadSteps.length > 0)
      this.addWalk("interleaving", new Interleaving(this.s.threadSteps, page.extras, this.s.ownEvents, moved));
    if (e.trace && e.trace.length > 0) this.addWalk("trace", new Trace(e, report.file, page.extras, moved));
    if (e.quasi) this.tabs.push({ name: "order", title: "Out of order", element: quasiPanel(e.quasi, (line) => this.selectLine(line)) });
    if (this.s.steps && this.history) {
      this.stepper = new Stepper(this.history, this.s.steps, moved);
      this.addWalk("steps", this.stepper);
    }
    const parts = report.scope.partitions ?? [];
    if (parts.length > 0)
      this.tabs.push({ name: "partitions", title: "Partitions", element: partitionsPanel(parts, report.scope.partitions_total ?? parts.length, (p) => {
        this.filters.filter = { ...everything, key: p.keys.map(words).join(", "), object: p.object === null ? "" : String(p.object) };
        if (this.history && !this.history.keys.includes(words(p.keys[0]))) this.filters.filter.key = "";
        if (this.has("whole")) this.showScope("whole");
        else this.relayout();
      }) });
    if (this.history && this.history.size > 0) this.tabs.push({ name: "operations", title: "Operations", element: this.operations.element });
    this.tabs.push({ name: "scope", title: "Scope", element: scopePanel(report) });
  }
  private addWalk(name: string, walk: Walk): void {
    this.tabs.push({ name, title: walk.title, element: walk.element, walk });
  }
  private makeTabBar(): HTMLElement {
    const bar = h("div", { class: "tabs", role: "tablist" });
    for (const tab of this.tabs) {
      tab.element.setAttribute("role", "tabpanel");
      tab.element.setAttribute("aria-labelledby", `tab-${tab.name}`);
      if (!tab.walk) tab.element.tabIndex = 0;
      bar.append(h("button", { role: "tab", id: `tab-${tab.name}`, click: () => this.showTab(tab) }, tab.title));
    }
    return h("section", { class: "panel" }, bar, ...this.tabs.map((t) => t.element));
  }
  private showTab(tab: Tab): void {
    this.tab = tab;
    for (const t of this.tabs) {
      t.element.hidden = t !== tab;
      this.root.querySelector(`#tab-${t.name}`)?.setAttribute("aria-selected", String(t === tab));
    }
    tab.walk?.update();
    this.stepped();
  }

  // ---- what is shown

  private showScope(scope: Scope): void {
    this.scope = scope;
    for (const [s, button] of this.scopeButtons) button.setAttribute("aria-pressed", String(s === scope));
    this.relayout();
  }
  private relayout(): void {
    if (!this.history) return;
    this.filters.update();
    const ops = this.scope === "focus" ? this.s.focus : this.scope === "minimal" ? this.s.minimal : null;
    const layout = new Layout(this.history, filtered(this.history, ops && [...ops].sort((a, b) => a - b), this.filters.filter));
    this.remark(layout);
    this.timeline.show(layout);
    this.resize();
    const { culprit } = this.s;
    if (this.scope === "whole" && this.s.minimal && culprit !== null && this.timeline.scale < 12) this.timeline.reveal(culprit, 24);
    this.say();
  }
  private remark(layout: Layout): void {
    const m = this.timeline.marks;
    this.timeline.marks = { ...noMarks(), matches: m.matches, selected: this.selected };
    const marks = this.timeline.marks;
    marks.culprit = this.s.culprit;
    marks.verdict = this.s.said;
    if (this.scope === "whole" && this.s.minimal) marks.strong = new Set(this.s.minimal);
    if (this.scope === "minimal" && this.s.focus) marks.strong = new Set(this.s.focus);
    if (this.s.left) marks.left = { state: this.s.left.state, at: layout.place(this.s.left.position) };
    const { quasi, operations } = this.s.report.evidence;
    if (quasi && this.history) marks.badges = overtaking(this.history, quasi);
    if (this.scope === "minimal" && Array.isArray(operations))
      operations.forEach((o, i) => o.needed === "call" && marks.badges.set(this.s.minimal![i], "result not needed"));
    this.stepped();
  }
  private selectLine(line: number | null): void {
    const op = this.history && byLine(this.history, line);
    if (op === null) return;
    if (!this.timeline.layout.shows(op) && this.has("whole")) this.showScope("whole");
    this.select(op, true);
  }

  private stepped(): void {
    const marks = this.timeline.marks;
    const walk = this.tab?.walk;
    marks.order = marks.next = marks.moments = marks.momentRow = marks.cursor = marks.loopFrom = null;
    if (walk instanceof Stepper) {
      marks.order = walk.order();
      marks.next = walk.next();
      const now = marks.next ?? (walk.at ? walk.steps.steps[walk.at - 1]?.[0] : null);
      if (walk.at !== null && now !== null && now !== undefined) {
        // An order has operations that the counterexample omits.
        if (!this.timeline.layout.shows(now) && this.scope !== "whole" && this.has("whole")) return this.showScope("whole");
        this.timeline.reveal(now);
      }
    } else if (walk instanceof Trace || walk instanceof Interleaving) {
      marks.moments = walk.moments;
      marks.momentRow = walk.rows;
      marks.cursor = walk.at;
      if (walk instanceof Trace) marks.loopFrom = walk.loopFrom;
      if (walk.at !== null) this.timeline.revealPlace(this.timeline.layout.place(walk.moments[walk.at]));
    }
    this.say();
    this.invalidate();
  }

  private select(op: number | null, reveal: boolean): void {
    this.selected = this.timeline.marks.selected = op;
    if (op !== null && reveal) this.timeline.reveal(op, Math.max(this.timeline.scale, Math.min(24, this.timeline.plot / 8)));
    this.say();
    this.invalidate();
  }
  /// The next operation in the order of calls.
  private selectNext(by: number): void {
    const { ops } = this.timeline.layout;
    if (ops.length === 0) return;
    const at = this.selected === null ? -1 : ops.indexOf(this.selected);
    const next = at < 0 ? (this.s.culprit !== null && this.timeline.layout.shows(this.s.culprit) ? this.s.culprit : ops[0]) : ops[Math.max(0, Math.min(ops.length - 1, at + by))];
    this.select(next, true);
  }

  // ---- words

  private describe(op: number): (Node | string)[] {
    const parts = describe(this.s, op);
    if (this.stepper && (this.tab.walk === this.stepper || op === this.s.culprit)) parts.push(" · ", h("span", {}, this.stepper.whyNot(op)));
    return parts;
  }
  private say(): void {
    const { layout } = this.timeline;
    if (!this.history || !this.tab) return;
    if (this.selected !== null) {
      fill(this.status, ...this.describe(this.selected));
    } else {
      const shown = `${count(layout.ops.length, "operation")} of ${count(this.history.size)} shown`;
      fill(this.status, shown + (this.filters.isEmpty ? "" : ", filtered (Esc shows all)") +
        (this.stepper ? ". Hover over one to see why it cannot come next" : "") + ". ? lists the keys.");
      if (this.s.ownEvents) fill(this.status, `${count(layout.ops.length, "step")} shown. ? lists the keys.`);
    }
    this.canvas.setAttribute("aria-label", `Timeline: ${count(layout.ops.length, "operation")} of ${count(layout.rows.length, "row")}. ` +
      "The tab Operations has them as a table.");
  }

  // ---- drawing

  invalidate(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.timeline.draw();
      this.overview.draw();
      this.remember();
    });
  }
  private resize(): void {
    const main = this.canvas.parentElement;
    if (!main) return;
    this.strip.hidden = this.timeline.layout.length < 60 && this.timeline.layout.noteRows.length === 0;
    const height = Math.round(Math.min(this.timeline.contentHeight, Math.max(200, innerHeight * 0.46)));
    this.canvas.style.height = `${height}px`;
    const width = main.clientWidth;
    const fits = this.timeline.width > 0 && width !== this.timeline.width && Math.abs(this.timeline.plot / this.timeline.scale - this.timeline.layout.length) < 2;
    this.timeline.resize(width, height);
    if (fits) this.timeline.fit();
  }
  private recolour(): void {
    this.timeline.colours = colours();
    this.invalidate();
  }
  private setTheme(theme: Theme): void {
    this.theme = theme;
    setTheme(theme);
    this.recolour();
  }
  private toggleTheme(): void {
    this.setTheme(isDark() ? "light" : "dark");
  }

  /// The address and the table are updated when the picture stops moving.
  private remember(): void {
    clearTimeout(this.tableTimer);
    this.tableTimer = window.setTimeout(() => {
      if (this.tab.name === "operations" && this.history) this.operations.update(this.timeline, this.history);
      if (!this.ready) return;
      const t = this.timeline;
      writeLink({
        report: this.number > 0 ? String(this.number) : "",
        view: this.scope === this.firstScope() ? "" : this.scope,
        ...this.filters.filter,
        q: this.searchBox.input.value,
        re: this.searchBox.regex.checked ? "1" : "",
        op: this.selected === null ? "" : String(this.selected),
        zoom: t.scale.toPrecision(8),
        at: t.offset.toFixed(5),
        tab: this.tab === this.tabs[0] ? "" : this.tab.name,
        step: this.tab.walk?.at === null || this.tab.walk === undefined ? "" : String(this.tab.walk.at),
        theme: this.theme === "auto" ? "" : this.theme,
      });
    }, 120);
  }

  // ---- mouse and keyboard

  private hover(op: number | null, at?: PointerEvent): void {
    if (op !== this.timeline.marks.hovered) {
      this.timeline.marks.hovered = op;
      this.canvas.style.cursor = op === null ? "grab" : "pointer";
      if (op !== null)
        this.tip.say(h("p", {}, ...this.describe(op)),
          this.stepper && this.tab.walk !== this.stepper && op !== this.s.culprit ? h("p", { class: "quiet" }, this.stepper.whyNot(op)) : null);
      this.invalidate();
    }
    this.tip.place(op === null ? null : at ?? null);
  }

  private keys(): Key[] {
    const t = () => this.timeline;
    const far = (e: KeyboardEvent) => (e.shiftKey ? 600 : 120);
    const walk = (f: (w: Walk) => void) => () => {
      const tab = this.tab.walk ? this.tab : this.tabs.find((x) => x.walk);
      if (!tab?.walk) return;
      if (tab !== this.tab) this.showTab(tab);
      f(tab.walk);
    };
    return [
      { keys: ["ArrowLeft", "ArrowRight"], does: "earlier, later; with Shift faster", run: (e) => t().pan(e.key === "ArrowLeft" ? -far(e) : far(e)) },
      { keys: ["ArrowUp", "ArrowDown"], does: "scroll the rows; in a list, one step", run: (e) => {
        const down = e.key === "ArrowDown";
        if ((e.target as HTMLElement).closest(".walk-list")) this.tab.walk?.step(down ? 1 : -1);
        else t().scroll(down ? 60 : -60);
      } },
      { keys: ["+", "="], does: "zoom in", run: () => t().zoom(1.5) },
      { keys: ["-"], does: "zoom out", run: () => t().zoom(1 / 1.5) },
      { keys: ["0"], does: "show all", run: () => t().fit() },
      { keys: ["j", "k"], does: "select the next operation, the previous one", run: (e) => this.selectNext(e.key === "j" ? 1 : -1) },
      { keys: ["c"], does: "go to the culprit", run: () => {
        if (this.s.culprit === null) return;
        if (!t().layout.shows(this.s.culprit)) this.clear();
        this.select(this.s.culprit, true);
      } },
      { keys: ["v"], does: "counterexample or whole history", run: () => {
        const all = [...this.scopeButtons.keys()];
        if (all.length > 1) this.showScope(all[(all.indexOf(this.scope) + 1) % all.length]);
      } },
      { keys: ["]", "["], does: "next step, previous step", run: (e) => walk((w) => w.step(e.key === "]" ? 1 : -1))() },
      { keys: ["}", "{"], does: "last step, first step", run: (e) => walk((w) => w.go(e.key === "}" ? w.last : 0))() },
      { keys: ["/"], does: "search", run: () => this.searchBox.input.focus() },
      { keys: ["n", "N"], does: "next match, previous match", run: (e) => this.searchBox.next(e.key === "N") },
      { keys: ["1", "2", "3", "4", "5", "6"], does: "the tabs", run: (e) => {
        const tab = this.tabs[Number(e.key) - 1];
        if (tab) this.showTab(tab);
      } },
      { keys: ["t"], does: "light or dark", run: () => this.toggleTheme() },
      { keys: ["s", "p"], does: "save the picture as SVG, as PNG", run: (e) => (e.key === "s" ? saveSvg : savePng)(t(), this.name()) },
      { keys: ["Escape"], does: "leave the search; show all operations; stop stepping", run: () => {
        if (document.activeElement === this.searchBox.input) this.canvas.focus();
        else this.clear();
      } },
      { keys: ["?"], does: "this list", run: () => this.help.showModal() },
    ];
  }
  private clear(): void {
    this.searchBox.clear();
    const wasFiltered = !this.filters.isEmpty;
    this.filters.filter = { ...everything };
    this.selected = this.timeline.marks.selected = null;
    this.tab.walk?.go(null);
    if (wasFiltered) this.relayout();
    this.say();
    this.invalidate();
  }

  /// For tests and measurements.
  get picture(): Timeline {
    return this.timeline;
  }
}

function bounds(p: Page): string {
  const b = p.report.scope.bounds as { [name: string]: number } | undefined;
  return b ? ` (${Object.entries(b).filter(([name]) => name !== "processes").map(([name, value]) => `${name}=${value}`).join(", ")})` : "";
}

function empty(): History {
  const none = new Uint32Array();
  return {
    size: 0, events: 0, call: none, ret: none, process: none, object: null, label: none, line: null, returnLine: null,
    callTime: null, returnTime: null, timeBase: "", processes: [], objects: [""], methods: [], keys: [""], labels: 0,
    labelMethod: none, labelKey: none, labelText: () => "", allLabelTexts: () => [], notes: [],
  };
}

/// Opens another report of the page. The page is reloaded, because decoding discarded its data.
function open(number: number): void {
  writeLink({ report: String(number) });
  location.reload();
}

async function start(): Promise<void> {
  const root = document.getElementById("page")!;
  try {
    const pages = readPages().flatMap(apart);
    const number = Math.min(pages.length - 1, Math.max(0, Number(readLink().report ?? 0) || 0));
    const viewer = new Viewer(root, pages, number, await makeSubject(pages[number]));
    (window as unknown as { plumb: Viewer }).plumb = viewer;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      document.documentElement.dataset.ready = String(Math.round(performance.now()));
    }));
  } catch (error) {
    fill(root, h("p", { class: "failed" }, `This page cannot be shown: ${String(error)}`));
    throw error;
  }
}

setTheme("auto");
void start();
