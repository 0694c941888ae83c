// "What happened here?": the panel names what is not as usual, with the numbers of `hkpd top --at`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { drag, figure, settle } from "./pages.mjs";

const panel = (page) => page.locator(".happened");

/** Returns the rows of the panel: group, label, and the exact numbers of the window and of the rest. */
const rowsOf = (page) => panel(page).evaluate((element) => [...element.querySelectorAll("tbody")].flatMap((body) =>
  [...body.rows].slice(1).map((row) => ({
    group: body.querySelector(".group").textContent,
    label: row.cells[0].textContent,
    then: Number(row.cells[1].title),
    rest: row.cells[2].title === "" || row.cells[2].title === "NaN" ? null : Number(row.cells[2].title),
  }))));

/** Returns what the command of the panel prints, by the label that the panel has. */
const commanded = async (page, hkpd) => {
  const command = await panel(page).locator(".command code").textContent();
  const [, input, at] = /^hkpd top (\S+) --at (\S+)$/.exec(command);
  const { rows } = JSON.parse(execFileSync(hkpd, ["top", input, "--at", at, "--format", "json", "--top", "1000"], { encoding: "utf8" }));
  return new Map(rows.map((row) => [row.kind === "process" ? `${row.instance}${row.pid === null ? "" : ` (${row.pid})`} ${row.counter}`
    : `\\${row.object}${row.instance ? `(${row.instance})` : ""}\\${row.counter}`, row]));
};

const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

/** Compares each row of the panel with the command's. Returns how many there are. */
const checkNumbers = async (page, hkpd) => {
  const expected = await commanded(page, hkpd);
  const rows = await rowsOf(page);
  for (const { label, then, rest } of rows) {
    const row = expected.get(label);
    assert.ok(row, `${label} is not in the command's rows: ${[...expected.keys()].join(", ")}`);
    assert.ok(near(then, row.mean), `${label}: ${then}, expected ${row.mean}`);
    assert.ok(rest === null ? row.usual === null : near(rest, row.usual), `${label}: rest ${rest}, expected ${row.usual}`);
  }
  return rows.length;
};

const clickAt = async (page, chart, part) => {
  const box = await chart.locator(".u-over").boundingBox();
  await page.mouse.click(box.x + box.width * part, box.y + box.height / 2);
  await panel(page).waitFor();
  await settle(page);
};

/** Checks the panel of a log whose second quarter is not as the others. */
export const checkHappened = async (browser, hkpd, file) => {
  const page = await browser.open(file);
  const chart = await figure(page, "", "#overview");
  await clickAt(page, chart, 0.375);
  const rows = await rowsOf(page);
  assert.deepEqual([rows[0].group, rows[0].label], ["Processes", "worker Working Set"]);
  assert.ok(rows.some(({ group, label }) => group === "Disks" && label === "\\PhysicalDisk(0 C:)\\Avg. Disk sec/Read"), JSON.stringify(rows));
  for (const name of ["\\Processor(_Total)\\% Processor Time", "\\Memory\\Available MBytes", "\\Memory\\Pages/sec"]) {
    assert.ok(rows.some(({ group, label }) => group === "Counters" && label === name), name);
  }
  let compared = await checkNumbers(page, hkpd);
  await page.keyboard.press("Escape");
  assert.equal(await panel(page).count(), 0);

  // A part of a chart is zoomed, and the panel is about it.
  await drag(page, chart, 0.3, 0.45);
  assert.ok(!await page.getByRole("button", { name: "Show all" }).isDisabled());
  compared += await checkNumbers(page, hkpd);
  // Times that are stated, in the zone of the log, which the reader's is not.
  await panel(page).getByLabel("From").fill("14:10");
  await panel(page).getByLabel("To").fill("2016-11-26 14:12:30");
  await panel(page).getByRole("button", { name: "Show", exact: true }).click();
  assert.match(await panel(page).locator("[role=status]").textContent(), /^2016-11-26 14:(09:5\d|10:00) – 14:12:3\d: \d+ samples, against \d+ in the rest/);
  compared += await checkNumbers(page, hkpd);
  await panel(page).getByLabel("From").fill("soon");
  await panel(page).getByRole("button", { name: "Show", exact: true }).click();
  assert.match(await panel(page).getByRole("alert").textContent(), /Expected times/);
  await panel(page).getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Show all" }).click();
  assert.equal(await panel(page).count(), 0);

  // With keys alone.
  const plot = chart.locator(".plot");
  await plot.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.className), "happened");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.className), "plot");
  await page.getByRole("button", { name: "What happened?" }).click();
  assert.equal(await panel(page).getByLabel("From").count(), 1);
  await browser.close(page);
  return `${compared} rows`;
};

/** Checks the panel on a telephone, in both themes, and with names that would be markup. */
export const checkHappenedLook = async (browser, files) => {
  for (const file of files) {
    for (const theme of ["light", "dark"]) {
      const page = await browser.open(file, { width: 390, theme });
      await page.evaluate(() => { document.querySelector("#counters details").open = true; });
      const chart = page.locator("figure.chart.ready").first();
      await chart.scrollIntoViewIfNeeded();
      await chart.locator("canvas").waitFor();
      await clickAt(page, chart, 0.4);
      assert.equal(await panel(page).count(), 1);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `${file}: ${wide} pixels wide`);
      await browser.checkAxe(page);
      await browser.close(page);
    }
  }
};

/**
 * Clicks the peak of each log of `tests/answers/planted.py`: the panel names the process that is the cause, first among
 * those that use what is short, and the disk or interface. `plans`: the plans, and the paths of the pages.
 */
export const checkPlantedPeaks = async (browser, plans) => {
  const found = [];
  for (const { plan, file } of plans) {
    const page = await browser.open(file);
    const chart = await figure(page, "", "#overview");
    const from = Math.min(...plan.processes.map(({ first }) => Date.parse(first)));
    const to = Math.max(...plan.processes.map(({ last }) => Date.parse(last)));
    await clickAt(page, chart, (Date.parse(plan.peak) - from) / (to - from));
    const rows = await rowsOf(page);
    const named = rows.findIndex(({ group, label }) => group === "Processes" && label.startsWith(`${plan.process} (`));
    assert.ok(named >= 0, `${plan.plan}: ${plan.process} is not among ${rows.map(({ label }) => label).join(", ")}`);
    if (plan.instance) assert.ok(rows.some(({ label }) => label.includes(plan.instance)), `${plan.plan}: ${plan.instance} is not named`);
    found.push(`${plan.plan} ${named + 1}`);
    await browser.close(page);
  }
  return found.join(", ");
};
