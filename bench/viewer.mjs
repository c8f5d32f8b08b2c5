// SPDX-License-Identifier: MIT
// viewer.mjs MODULES CHROMIUM PAGE: opens the page, moves in it, and prints the times as JSON.
import { createRequire } from "node:module";

const [modules, executablePath, page] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await tab.goto(`file://${page}`);
await tab.waitForSelector("html[data-ready]");
const open = Number(await tab.evaluate(() => document.documentElement.dataset.ready)) / 1000;

/// Frames per second, from the time of each: the median, and the slowest twentieth.
const moves = (what) => tab.evaluate(async (what) => {
  const t = plumb.picture;
  const took = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  t.fit();
  if (what === "scroll") t.zoom(8);
  await frame();
  for (let i = 0, last = performance.now(); i < 120; ++i) {
    const drawn = t.drawn;
    if (what === "scroll") t.pan(i < 60 ? 60 : -60);
    else t.zoom(i < 60 ? 1.2 : 1 / 1.2);
    await frame(); // the page requested its frame first, so it is drawn now
    const now = performance.now();
    if (t.drawn === drawn) throw new Error("nothing was drawn");
    took.push(now - last);
    last = now;
  }
  took.sort((a, b) => a - b);
  return { usual: 1000 / took[took.length >> 1], slow: 1000 / took[Math.floor(took.length * 0.95)] };
}, what);
const scroll = await moves("scroll");
const zoom = await moves("zoom");
console.log(JSON.stringify({ open, scroll, zoom }));
await browser.close();
