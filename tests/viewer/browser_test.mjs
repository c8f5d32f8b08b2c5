// SPDX-License-Identifier: MIT
// browser_test.mjs PLUMB SOURCE MODULES CHROMIUM FOLDER: see README.md.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { after, before, test } from "node:test";

const [plumb, source, modules, browserPath, folder] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");
mkdirSync(folder, { recursive: true });

// ---- pages

/// Runs plumb, and checks how it ends.
function run(status, ...args) {
  const done = spawnSync(plumb, args, { cwd: source, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 500000 });
  assert.equal(done.status, status, `plumb ${args.join(" ")}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}
function page(name, status, ...args) {
  const file = `${folder}/${name}.html`;
  run(status, ...args, "--html", file, "--quiet");
  return file;
}
function history(name, lines) {
  const file = `${folder}/${name}.jsonl`;
  writeFileSync(file, lines.map((l) => JSON.stringify(l)).join("\n") + "\n");
  return file;
}
const call = (process, op, ...args) => ({ type: "call", process, op, args });
const ret = (process, result = null) => ({ type: "return", process, result });

/// A queue used by eight processes for so long, in order, with a note now and then.
function longHistory(name, operations) {
  const lines = [{ history: 1, object: "queue" }];
  const open = Array(8).fill(null);
  const inside = [];
  let made = 0, next = 1;
  let seed = 12345;
  const random = (n) => { // mulberry32
    let t = (seed += 0x6d2b79f5);
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
  while (made < operations || open.some((o) => o)) {
    const p = random(8);
    if (open[p]) {
      lines.push(ret(p, open[p].result));
      open[p] = null;
    } else if (made < operations) {
      ++made;
      if (random(2) === 0 || inside.length === 0) {
        lines.push(call(p, "enq", next));
        inside.push(next++);
        open[p] = { result: null };
      } else {
        lines.push(call(p, "deq"));
        open[p] = { result: inside.shift() };
        // Whoever enqueued it may still be open; then both overlap, which is fine.
      }
    }
    if (made % 5000 === 0 && random(20) === 0) lines.push({ type: "note", process: "nemesis", f: "partition", value: made });
  }
  return { file: history(name, lines), lines };
}

// ---- the browser

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
});
after(async () => browser?.close());

/// Opens a page, and checks when it is closed that it asked nobody for anything and had no errors.
async function look(file, work, { hash = "", colorScheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, offline: true, colorScheme, acceptDownloads: true });
  const p = await context.newPage();
  const wrong = [];
  p.on("pageerror", (e) => wrong.push(`error: ${e.message}`));
  p.on("console", (m) => m.type() === "error" && wrong.push(`console: ${m.text()}`));
  p.on("dialog", (d) => {
    wrong.push(`dialog: ${d.message()}`);
    d.dismiss();
  });
  p.on("request", (r) => /^(file|data|blob):/.test(r.url()) || wrong.push(`request: ${r.url()}`));
  await p.goto(`file://${file}${hash}`);
  await p.waitForSelector("html[data-ready]");
  await work(p, wrong);
  await context.close();
  assert.deepEqual(wrong, []);
}
/// The address follows when the picture rests: by a timer of the page, which is due before this one.
const settled = (p) => p.evaluate(() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300)))));
const scale = (p) => p.evaluate(() => plumb.picture.scale);
const offset = (p) => p.evaluate(() => plumb.picture.offset);
const shownOps = (p) => p.evaluate(() => [...plumb.picture.layout.ops]);
const status = (p) => p.locator(".status").innerText();
const hash = (p) => p.evaluate(() => location.hash);
/// The middle of an operation's bar, on the page.
const barOf = (p, op) => p.evaluate((op) => {
  const t = plumb.picture, box = t.canvas.getBoundingClientRect();
  const end = Math.min(t.layout.end(op), t.layout.length);
  return { x: box.x + t.x((t.layout.start(op) + end) / 2), y: box.y + t.y(t.layout.find(op)) + t.rowHeight / 2 };
}, op);

/// The verdict, the sentence and the culprit, all of it on the screen, and drawn.
async function seesViolation(p) {
  assert.equal(await p.locator(".badge").innerText(), "VIOLATION");
  assert.ok(await p.evaluate(() => document.documentElement.scrollHeight <= 800 && document.documentElement.scrollWidth <= 1280), "no scrolling");
  const inside = (box) => box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 1280 && box.y + box.height <= 800;
  for (const part of [".badge", "h1", ".why .lead", ".timeline"]) assert.ok(inside(await p.locator(part).boundingBox()), `${part} is on the screen`);
  const seen = await p.evaluate(() => {
    const t = plumb.picture, { layout, marks } = t;
    const all = layout.ops.length > 0 && [...layout.ops].every((op) => t.x(layout.start(op)) >= 119 && t.x(Math.min(layout.end(op), layout.length)) <= t.width + 1);
    const rows = t.contentHeight <= t.height + 10;
    const culprit = marks.culprit;
    if (culprit === null) return { all, rows, culprit, red: null };
    const ratio = devicePixelRatio;
    const end = Math.min(layout.end(culprit), layout.length);
    const x = t.x(layout.start(culprit) + 0.2), y = t.y(layout.find(culprit)) + 10;
    const [r, g, b] = t.canvas.getContext("2d").getImageData(Math.round((x + 1) * ratio), Math.round(y * ratio), 1, 1).data;
    return { all, rows, culprit, red: r > 180 && g < 130 && b < 130, ends: t.x(end) <= t.width };
  });
  assert.ok(seen.all, "all operations of the counterexample are in view");
  assert.ok(seen.rows, "all rows are in view");
  if (seen.culprit !== null) assert.ok(seen.red && seen.ends, "the culprit is drawn in its colour");
  return seen;
}

const stale = page("check", 1, "check", "examples/data/stale_read.jsonl");
const hasRuntime = existsSync(`${dirname(dirname(plumb))}/src/runtime/libplumb_runtime.so`);

test("a violation that check found is seen without scrolling", () => look(stale, async (p) => {
  const seen = await seesViolation(p);
  assert.equal(await p.evaluate((op) => plumb.picture.layout.history.methods[0] && op, seen.culprit), seen.culprit);
  assert.match(await p.locator(".why .lead").innerText(), /returned "apple" although/);
  assert.deepEqual((await shownOps(p)).length, 3);
}));

test("a violation of quasi linearizability says who overtook whom", () =>
  look(page("quasi", 1, "check", "examples/data/quasi_queue.jsonl", "--quasi", "deq=1"), async (p) => {
    await seesViolation(p);
    assert.match(await p.locator(".overtaking").innerText(), /1, never taken out, was overtaken by deq\(\) = 2.*deq\(\) = 3/);
    const badges = await p.evaluate(() => [...plumb.picture.marks.badges.values()]);
    assert.deepEqual(badges.filter((b) => b !== "result not needed"), ["overtook 1", "overtook 1"]);
  }));

test("a violation that verify found has its trace, its variables and its source", () =>
  look(page("verify", 1, "verify", "models/counter_lost.plumb"), async (p) => {
    await seesViolation(p);
    assert.equal(await p.locator(".walk-row:visible").count(), 12);
    await p.keyboard.press("]");
    for (let i = 0; i < 4; ++i) await p.keyboard.press("]");
    assert.match(await p.locator(".walk-side:visible").innerText(), /H\s+1/);
    assert.match(await p.locator(".source .here:visible").innerText(), /13\s*H = min\(v \+ 1, SIZE\)/);
    assert.equal(await p.evaluate(() => plumb.picture.marks.cursor), 4);
    const moments = await p.evaluate(() => [...plumb.picture.marks.moments]);
    assert.ok(moments.every((m, i) => i === 0 || m > moments[i - 1]), "steps run to the right");
  }));

test("a lasso is marked", () =>
  look(page("lasso", 1, "verify", "models/lock_ticket.plumb", "--property", "wait-free"), async (p) => {
    assert.equal(await p.locator(".badge").innerText(), "VIOLATION");
    assert.match(await p.locator("h1").innerText(), /not wait-free/);
    assert.match(await p.locator(".why .lead").innerText(), /has to wait for another process/);
    await seesViolation(p);
  }).then(() => look(page("loop", 1, "verify", "models/counter.plumb", "--property", "returns:push"), async (p) => {
    const { culprit } = await seesViolation(p);
    assert.equal(await p.evaluate((op) => plumb.picture.layout.end(op), culprit), Infinity);
    assert.match(await p.locator("h1").innerText(), /push\(\) does not always return/);
    assert.ok(await p.locator(".walk-row.loop").count() > 3, "what is repeated is marked");
    const { loopFrom, moments } = await p.evaluate(() => ({ loopFrom: plumb.picture.marks.loopFrom, moments: plumb.picture.marks.moments.length }));
    assert.ok(loopFrom > 0 && loopFrom < moments);
  })));

test("a fault of a model is where it went wrong", () =>
  look(page("fault", 1, "verify", "tests/golden/fault.plumb"), async (p) => {
    const { culprit } = await seesViolation(p);
    assert.equal(await p.evaluate((op) => plumb.picture.layout.history.processes[plumb.picture.layout.history.process[op]], culprit), "1");
    assert.equal(await p.evaluate(() => plumb.picture.layout.length), 4, "a statement that returns is no return");
    assert.match(await p.locator("h1").innerText(), /fault\.plumb: a fault/);
  }));

test("a violation that test found has the interleaving, with its source", { skip: !hasRuntime && "no runtime here" }, () =>
  look(page("test", 1, "test", "examples/objects/ticket_queue.cpp"), async (p) => {
    await seesViolation(p);
    assert.ok(await p.locator(".walk-row:visible").count() > 3);
    assert.ok(await p.locator(".walk-row.switch:visible").count() > 0);
    await p.keyboard.press("]");
    assert.match(await p.locator(".source:visible").innerText(), /ticket_queue\.hpp:\d+/);
    const places = await p.evaluate(() => [...plumb.picture.marks.moments]);
    assert.ok(places.every((m, i) => i === 0 || m >= places[i - 1]) && places.at(-1) > 0, "steps run along the history");
  }));

test("a finding of test is seen without scrolling", { skip: !hasRuntime && "no runtime here" }, () =>
  look(page("explore", 1, "test", "examples/explore/lost_update.cpp"), async (p) => {
    await seesViolation(p);
    assert.match(await p.locator("h1").innerText(), /an assertion fails/);
    assert.match(await p.locator(".replay").innerText(), /--replay 0,1:2,0:2/);
    await p.keyboard.press("}");
    assert.match(await p.locator(".source .here:visible").innerText(), /other\.join/);
  }));

test("the wheel and the keys zoom and pan", () => look(stale, async (p) => {
  await p.getByRole("button", { name: "Whole history" }).click();
  const first = await scale(p);
  const box = await p.locator(".timeline").boundingBox();
  await p.mouse.move(box.x + 700, box.y + 60);
  const under = () => p.evaluate(() => plumb.picture.placeAt(700));
  const place = await under();
  await p.mouse.wheel(0, -400);
  await p.waitForFunction((first) => plumb.picture.scale > 1.5 * first, first); // zoomed in
  await settled(p);
  assert.ok(Math.abs(await under() - place) < 0.01, "what is under the mouse stays there");
  const at = await offset(p);
  await p.locator(".timeline").focus();
  await p.keyboard.press("ArrowRight");
  assert.ok(await offset(p) > at);
  await p.mouse.down();
  await p.mouse.move(box.x + 800, box.y + 60);
  await p.mouse.up();
  await p.keyboard.press("0");
  assert.ok(Math.abs(await scale(p) - first) < 0.01, "all is shown again");
  await p.keyboard.press("+");
  assert.ok(await scale(p) > first);
  await p.keyboard.press("-");
  assert.ok(Math.abs(await scale(p) - first) < 0.01);
}));

test("searching counts, marks and goes from match to match", () => look(stale, async (p) => {
  await p.keyboard.press("v");
  await p.keyboard.press("/");
  await p.keyboard.type("PEAR");
  assert.equal(await p.locator(".found").innerText(), "3 found");
  await p.keyboard.press("Escape");
  const visited = [];
  for (let i = 0; i < 4; ++i) {
    visited.push(await p.evaluate(() => plumb.picture.marks.selected));
    await p.keyboard.press("n");
  }
  assert.equal(new Set(visited).size, 3);
  assert.equal(visited[3], visited[0], "it goes round");
  await p.keyboard.press("N");
  assert.equal(await p.evaluate(() => plumb.picture.marks.selected), visited[0]);
  await p.locator("#regex").check();
  await p.locator("input[type=search]").fill('get\\("(price|nothing)"\\)');
  assert.equal(await p.locator(".found").innerText(), "1 found");
  await p.locator("input[type=search]").fill("(");
  assert.equal(await p.locator(".found").innerText(), "not a regular expression");
}));

test("filters leave out what does not pass, and partitions are filters", () => look(stale, async (p) => {
  await p.getByRole("button", { name: "Whole history" }).click();
  assert.equal((await shownOps(p)).length, 8);
  await p.getByLabel("Only this process").selectOption("bob");
  assert.equal((await shownOps(p)).length, 4);
  assert.equal(await p.evaluate(() => plumb.picture.layout.rows.length), 1);
  await p.getByLabel("Only this key").selectOption('"price"');
  assert.equal((await shownOps(p)).length, 1);
  await p.locator(".timeline").focus();
  await p.keyboard.press("Escape");
  assert.equal((await shownOps(p)).length, 8);
  await p.getByRole("tab", { name: "Partitions" }).click();
  assert.match(await p.locator("table.wide:visible").innerText(), /"cart"\s+6\s+violation/);
  await p.getByRole("button", { name: '"price"' }).click();
  assert.equal((await shownOps(p)).length, 2);
}));

test("the longest order is stepped through, and says why nothing comes next", () => look(stale, async (p) => {
  await p.getByRole("tab", { name: "Longest order" }).click();
  await p.keyboard.press("]");
  assert.equal(await p.evaluate(() => plumb.picture.marks.order.size), 0);
  await p.keyboard.press("}");
  const side = await p.locator(".walk-side:visible").innerText();
  assert.match(side, /None of the others can come next/);
  assert.match(side, /get\("cart"\) = "apple" could only return "pear" in the state \{"cart":"pear"\}/);
  const { x, y } = await barOf(p, await p.evaluate(() => plumb.picture.marks.culprit));
  await p.mouse.move(x, y);
  assert.match(await p.locator(".tip").innerText(), /could only return "pear"/);
}));

test("the witness of a history that holds is stepped through", () =>
  look(page("holds", 0, "check", "examples/data/queue.jsonl"), async (p) => {
    assert.equal(await p.locator(".badge").innerText(), "HOLDS");
    const states = (await p.locator(".walk-row .state").allInnerTexts()).map((t) => t.trim());
    assert.equal(states[0], "[]");
    assert.equal(states.length, 6);
    await p.locator(".walk-list:visible").focus();
    await p.keyboard.press("ArrowDown");
    await p.keyboard.press("ArrowDown");
    assert.equal(await p.evaluate(() => plumb.picture.marks.order.size), 1);
    assert.match(await p.locator(".walk-bar").innerText(), /1 of 5 operations took effect/);
  }));

test("an address leads to the same view", () => look(stale, async (p) => {
  await p.getByRole("button", { name: "Whole history" }).click();
  await p.keyboard.press("+");
  await p.keyboard.press("c");
  await p.getByRole("tab", { name: "Longest order" }).click();
  await p.keyboard.press("]");
  await p.keyboard.press("]");
  await settled(p);
  const link = await hash(p);
  for (const part of ["view=whole", "op=", "zoom=", "step=1"]) assert.ok(link.includes(part), `${part} is in ${link}`);
  const picture = await p.locator(".timeline").screenshot();
  await look(stale, async (q) => {
    await settled(q);
    assert.equal(await hash(q), link);
    assert.ok(picture.equals(await q.locator(".timeline").screenshot()), "the same picture");
  }, { hash: link });
}));

async function download(p, press) {
  const [file] = await Promise.all([p.waitForEvent("download"), press()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

test("the picture is saved as SVG and as PNG", () => look(stale, async (p) => {
  const svg = await download(p, () => p.getByRole("button", { name: "Save the picture as SVG" }).click());
  assert.equal(svg.name, "stale_read.jsonl.svg");
  const found = await p.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    return { errors: parsed.querySelectorAll("parsererror").length, texts: [...parsed.querySelectorAll("text")].map((t) => t.textContent) };
  }, svg.bytes.toString());
  assert.equal(found.errors, 0);
  assert.ok(found.texts.includes('get("cart") = "apple"') && found.texts.includes("◀ impossible"));
  const png = await download(p, () => p.keyboard.press("p"));
  assert.equal(png.bytes.toString("latin1", 1, 4), "PNG");
  assert.equal(png.bytes.readUInt32BE(16), 2 * 1280);
}));

test("everything can be reached without a mouse", () => look(stale, async (p) => {
  const reached = new Set();
  for (let i = 0; i < 40; ++i) {
    await p.keyboard.press("Tab");
    reached.add(await p.evaluate(() => {
      const e = document.activeElement;
      const style = getComputedStyle(e);
      return `${e.getAttribute("aria-label") || e.textContent}${style.outlineStyle === "none" ? " without a ring" : ""}`;
    }));
  }
  for (const name of ["Keyboard (?)", "Whole history", "Search operations", "Only this process", "Zoom in (+)", "Partitions"])
    assert.ok(reached.has(name), `${name} is reached, with a ring: ${[...reached].join("; ")}`);
  await p.locator(".timeline").focus();
  await p.keyboard.press("j");
  assert.match(await status(p), /get\("cart"\) = "apple" · cleo · lines 12 to 14 · impossible/);
  await p.keyboard.press("k");
  assert.match(await status(p), /bob/);
  await p.keyboard.press("?");
  assert.ok(await p.locator("dialog").isVisible());
  assert.ok(await p.locator("dialog tr").count() > 12);
  await p.keyboard.press("Escape");
  assert.ok(!(await p.locator("dialog").isVisible()));
  await p.getByRole("tab", { name: "Operations" }).click();
  await settled(p);
  const rows = await p.locator("table.wide:visible tbody tr").allInnerTexts();
  assert.equal(rows.length, 3);
  assert.match(rows[2], /get\("cart"\) = "apple"\s+cleo\s+line 12\s+line 14\s+impossible/);
}));

test("light and dark follow the system, or the switch", async () => {
  const background = (p) => p.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await look(stale, async (p) => {
    assert.equal(await background(p), "rgb(255, 255, 255)");
    await p.keyboard.press("t");
    assert.equal(await background(p), "rgb(21, 24, 29)");
    await settled(p);
    assert.match(await hash(p), /theme=dark/);
  });
  await look(stale, async (p) => assert.equal(await background(p), "rgb(21, 24, 29)"), { colorScheme: "dark" });
});

test("values that look like markup are shown as text, and nothing runs", async () => {
  const evil = ["</script><script>document.title='gone'</script>", '<img src="http://evil.example/x.png" onerror="document.title=1">',
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd", "line\u2028and\u2029paragraph", "x".repeat(10000), "nul\u0000 and \ud83d\ude00 <!-- ]]> &amp;"];
  const lines = [{ history: 1, object: "register", initial: "" }];
  evil.forEach((value, i) => lines.push({ type: "note", process: value.slice(0, 40), text: value }, call(value, "write", value), ret(value),
    call(`reader ${i}`, "read"), ret(`reader ${i}`, i === evil.length - 1 ? evil[0] : value)));
  const file = page("hostile", 1, "check", history("hostile", lines));
  const text = readFileSync(file, "utf8");
  assert.equal(text.split("</script>").length, text.split(/<script[\s>]/).length, "no script element is ended or begun by a value");
  assert.ok(!text.includes("<img"));
  const works = async (p) => {
    assert.equal(await p.title(), "violation: hostile.jsonl");
    assert.equal(await p.evaluate(() => document.images.length + document.querySelectorAll("script:not([type])").length), 1);
    assert.ok(await p.evaluate(() => document.documentElement.scrollWidth <= 1280), "nothing is too wide");
    if (await p.getByRole("button", { name: "Whole history" }).count()) await p.getByRole("button", { name: "Whole history" }).click();
    await p.getByRole("tab", { name: "Operations" }).click();
    await p.keyboard.press("0");
    await settled(p);
    assert.ok((await p.locator("table.wide:visible").innerText()).includes("</script><script>"));
    const svg = await download(p, () => p.keyboard.press("s"));
    assert.equal(await p.evaluate((t) => new DOMParser().parseFromString(t, "image/svg+xml").querySelectorAll("parsererror, script, img").length, svg.bytes.toString()), 0);
    for (const tab of await p.getByRole("tab").all()) await tab.click();
  };
  await look(file, works);
  // The same, from the report alone.
  const json = `${folder}/hostile.json`;
  writeFileSync(json, run(1, "check", `${folder}/hostile.jsonl`, "--json"));
  run(0, "report", json, "--html", `${folder}/hostile_report.html`);
  await look(`${folder}/hostile_report.html`, works);
});

test("the policy forbids whatever is not in the page", () => look(stale, async (p, wrong) => {
  const policy = await p.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  assert.match(policy, /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data: blob:/);
  assert.ok(!policy.includes("unsafe"));
  const ran = await p.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.hacked = true";
    document.body.append(script);
    const loaded = await fetch("http://127.0.0.1:9/").then(() => true, () => false);
    return window.hacked === true || loaded;
  });
  assert.equal(ran, false);
  assert.ok(wrong.every((w) => /Content Security Policy|127\.0\.0\.1/.test(w)) && wrong.length >= 2, wrong.join("\n"));
  wrong.length = 0;
}));

test("several reports are chosen from a list", async () => {
  const json = `${folder}/several.json`;
  writeFileSync(json, run(1, "check", "examples/data/stale_read.jsonl", "examples/data/queue.jsonl", "--json"));
  const out = `${folder}/several.html`;
  run(0, "report", json, "--html", out);
  await look(out, async (p) => {
    await seesViolation(p);
    assert.equal(await p.getByLabel("Report").locator("option").count(), 2);
    await Promise.all([p.waitForNavigation(), p.getByLabel("Report").selectOption("1")]);
    await p.waitForSelector("html[data-ready]");
    assert.equal(await p.locator(".badge").innerText(), "HOLDS");
    assert.match(await p.locator("h1").innerText(), /queue\.jsonl/);
  });
});

test("several failures of one test are chosen from a list", { skip: !hasRuntime && "no runtime here" }, async () => {
  const file = page("failures", 1, "test", "examples/explore/lock_order.cpp", "--keep-going");
  const many = page("tests", 1, "test", "examples/objects/ticket_queue.cpp", "--keep-going", "--operations", "4", "--random", "0");
  await look(file, async (p) => assert.match(await p.locator("h1").innerText(), /deadlock/));
  await look(many, async (p) => {
    const options = await p.getByLabel("Report").locator("option").allInnerTexts();
    assert.ok(options.length > 1, options.join("\n"));
    for (let i = 1; i < Math.min(3, options.length); ++i) {
      await Promise.all([p.waitForNavigation(), p.getByLabel("Report").selectOption(String(i))]);
      await p.waitForSelector("html[data-ready]");
      await seesViolation(p);
    }
  });
});

test("what is no report is refused", () => {
  const file = `${folder}/no_report.json`;
  for (const text of ["{", "[1]", '{"tool":"plumb"}', "hello", '{"schema":3,"tool":"plumb","verdict":"holds","evidence":{},"scope":{}}', '{"schema":2,"tool":"plumb","verdict":"holds","evidence":3,"scope":{}}']) {
    writeFileSync(file, text);
    const done = spawnSync(plumb, ["report", file, "--html", `${folder}/none.html`], { encoding: "utf8" });
    assert.equal(done.status, 65, text);
    assert.match(done.stderr, /this is not a report/);
  }
});

test("no report at all is undecided, unless that is allowed", () => {
  const file = `${folder}/empty.json`, page = `${folder}/empty.html`;
  writeFileSync(file, "");
  const done = spawnSync(plumb, ["report", file, "--html", page], { encoding: "utf8" });
  assert.equal(done.status, 2);
  assert.match(done.stderr, /nothing was checked/);
  assert.equal(spawnSync(plumb, ["report", file, "--html", page, "--allow-empty"]).status, 0);
});

test("a report that makes no sense is said to make none", async () => {
  const file = `${folder}/senseless.json`;
  writeFileSync(file, '{"schema":2,"tool":"plumb","command":"check","file":"x","verdict":"violation","evidence":{"kind":"counterexample"},"scope":{}}');
  run(0, "report", file, "--html", `${folder}/senseless.html`);
  const context = await browser.newContext();
  const p = await context.newPage();
  await p.goto(`file://${folder}/senseless.html`);
  assert.match(await p.locator("#page").innerText(), /cannot be shown/);
  await context.close();
});

test("pending operations have no end, and a stuck one is named", () =>
  look(page("stuck", 1, "check", "tests/golden/stuck_counter.jsonl"), async (p) => {
    await seesViolation(p);
    assert.equal(await p.evaluate(() => plumb.picture.layout.end(plumb.picture.marks.culprit)), Infinity);
    await p.keyboard.press("c");
    assert.match(await status(p), /never return/);
  }));

test("a long history is small, complete, and is drawn whatever the zoom", async () => {
  const operations = 20000;
  const { file, lines } = longHistory("long", operations);
  const html = page("long", 0, "check", file);
  const empty = statSync(page("short", 0, "check", "examples/data/queue.jsonl")).size;
  assert.ok((statSync(html).size - empty) / operations < 30, "bytes an operation");
  await look(html, async (p) => {
    const read = await p.evaluate(() => {
      const h = plumb.picture.layout.history;
      return { size: h.size, notes: h.notes.length,
        ops: Array.from({ length: h.size }, (_, i) => [h.line[i], h.returnLine[i], h.processes[h.process[i]], h.methods[h.labelMethod[h.label[i]]] + h.labelText(h.label[i])]) };
    });
    assert.equal(read.size, operations);
    assert.equal(read.notes, lines.filter((l) => l.type === "note").length);
    assert.ok(read.notes > 0);
    for (const [from, to, process, label] of read.ops) {
      const c = lines[from - 1], r = lines[to - 1];
      assert.equal(c.type + r.type, "callreturn");
      assert.equal(String(c.process), process);
      assert.equal(label, c.op === "enq" ? `enq(${c.args[0]})` : `deq() = ${r.result}`);
    }
    const dark = () => p.evaluate(() => {
      const t = plumb.picture;
      const { data } = t.canvas.getContext("2d").getImageData(0, 0, t.canvas.width, t.canvas.height);
      let n = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ++n;
      return n / (data.length / 4);
    });
    for (let i = 0; i < 20; ++i) {
      await p.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const drawn = await dark();
      assert.ok(drawn > 0.2, `something is drawn at scale ${await scale(p)}: ${drawn}`);
      await p.keyboard.press("+");
    }
    await p.keyboard.press("0");
    await p.locator("input[type=search]").fill("deq() = 77");
    assert.match(await p.locator(".found").innerText(), /found/);
    assert.match(await status(p), /deq\(\) = 77/);
  });
});

test("a page is small", () => {
  assert.ok(statSync(stale).size < 100000, `${statSync(stale).size} bytes`);
});
