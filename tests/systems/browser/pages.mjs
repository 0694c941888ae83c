// Opens reports in Chromium and watches what a page must not do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export class Browser {
  static async start(folder) {
    const require = createRequire(`${folder}/`);
    const { chromium } = require("playwright-core");
    const browser = new Browser();
    browser.axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
    // Containers of CI run as root, where Chromium's own sandbox cannot be set up.
    browser.chromium = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
    return browser;
  }

  stop() { return this.chromium.close(); }

  /** Opens a report and waits until it is ready, if it has scripts. */
  async open(file, { width = 1600, height = 900, theme = "light", scripts = true, ready = scripts } = {}) {
    const context = await this.chromium.newContext({
      viewport: { width, height }, colorScheme: theme, javaScriptEnabled: scripts, timezoneId: "Asia/Kolkata", locale: "de-DE",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    page.faults = [];
    page.on("console", (message) => page.faults.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => page.faults.push(`error: ${error.stack}`));
    page.on("dialog", (dialog) => page.faults.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (request.url() !== page.url() && request.url() !== `file://${file}`) page.faults.push(`request: ${request.url()}`);
    });
    await page.addInitScript(() => {
      window.violations = [];
      document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`));
    });
    await page.goto(`file://${file}`);
    if (ready) await page.waitForSelector("html[data-ready=yes]");
    return page;
  }

  /** Checks that the page has caused no message, request or violation of its policy, and closes it. */
  async close(page) {
    const violations = await page.evaluate(() => window.violations).catch(() => []);
    assert.deepEqual([...page.faults, ...violations], []);
    await page.context().close();
  }

  /** Checks the page's accessibility. */
  async checkAxe(page) {
    await page.evaluate(this.axe);
    const { violations, passes } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    const text = violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 5).map((node) =>
      `    ${node.html.slice(0, 200)}\n    ${node.failureSummary.replaceAll("\n", " ")}`).join("\n")}`);
    assert.deepEqual(text, [], text.join("\n"));
    assert.ok(passes.length > 10);
  }
}

/** Waits until the charts near the viewport are drawn. */
export const settle = (page) => page.evaluate(() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)));
}));

export const openAll = async (page) => {
  await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
  await settle(page);
  await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
};

/** Opens the first object and returns the chart of its first counter, in view. */
export const firstCounter = async (page) => {
  await page.evaluate(() => { document.querySelector("#counters details").open = true; });
  const found = page.locator("#counters figure.chart").first();
  await found.scrollIntoViewIfNeeded();
  await found.locator("canvas").waitFor();
  await settle(page);
  return found;
};

/** Returns the figure whose caption begins with a text, in view. */
export const figure = async (page, caption, within = "main") => {
  const found = page.locator(`${within} figure.chart`).filter({ has: page.locator("figcaption", { hasText: caption }) }).first();
  await found.scrollIntoViewIfNeeded();
  await found.locator("canvas").waitFor();
  await settle(page);
  return found;
};

/** Returns the values that a chart shows for the cursor: the time, and min, mean and max of each series. */
export const readout = (chart) => chart.evaluate((element) => ({
  time: element.querySelector(".moment").textContent,
  rows: [...element.querySelectorAll("table.legend tbody tr")].map((row) => [row.querySelector(".name").textContent,
    ...[...row.querySelectorAll("td")].map((cell) => cell.textContent)]),
}));

/** Moves the mouse to a part of a chart's plot: 0 is its left, 1 its right edge. */
export const hover = async (page, chart, part) => {
  const box = await chart.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width * part, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width * part + 0.5, box.y + box.height / 2);
};

export const drag = async (page, chart, from, to) => {
  const box = await chart.locator(".u-over").boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * (from + to) / 2, y, { steps: 4 });
  await page.mouse.move(box.x + box.width * to, y, { steps: 4 });
  await page.mouse.up();
  await settle(page);
};

/** Opens a chart's table and returns its cells, with all rows. */
export const table = async (chart) => {
  const button = chart.getByRole("button", { name: "Table", exact: true });
  if (await button.getAttribute("aria-expanded") !== "true") await button.click();
  const more = chart.getByRole("button", { name: /^Show more rows/ });
  while (await more.isVisible()) await more.click();
  return chart.locator(".values table").evaluate((element) => [...element.rows].map((row) =>
    [...row.cells].map((cell) => (cell.firstChild?.textContent ?? ""))));
};
