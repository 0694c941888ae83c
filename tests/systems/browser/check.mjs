// check.mjs [--all] HKPD FOLDER SHARED: makes reports and drives them in Chromium. FOLDER has node_modules, and gets the
// reports and screenshots. SHARED has real logs; without it those are left out.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, inflateSync } from "node:zlib";
import { checkHappened, checkHappenedLook, checkPlantedPeaks } from "./happened.mjs";
import { MANY, PLANTED, replay, report, simulate, writeBusy, writeMany, writeNames, writePlanted, writeSeveral, writeTitles } from "./inputs.mjs";
import { Browser, drag, figure, firstCounter, hover, openAll, readout, settle, table } from "./pages.mjs";

const parameters = process.argv.slice(2);
const all = parameters[0] === "--all";
const [hkpd, folder, shared] = parameters.slice(all ? 1 : 0);
const inFolder = (name) => join(folder, name);
const LOGS = {
  win10: { file: join(shared, "data/blg/win10-14393-counters.blg"), hours: -8 },
  vista: { file: join(shared, "data/blg/vista-2007-wildcards.blg"), hours: -4 },
};
const real = Object.entries(LOGS).filter(([, log]) => existsSync(log.file));
const range = (page) => page.locator(".toolbar .range").textContent();

// ---- what the pages are made from

/** Makes a page of each log that has a cause, and returns them with their plans. */
const makePlantedReports = () => {
  const script = new URL("../../answers/planted.py", import.meta.url).pathname, logs = inFolder("planted");
  execFileSync("python3", [script, logs, "--seed", "1"], { env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } });
  return readdirSync(logs).filter((name) => name.endsWith(".json")).sort()
    .map((name) => ({ plan: JSON.parse(readFileSync(join(logs, name), "utf8")), log: join(logs, name.replace(/json$/, "csv")) }))
    .filter(({ plan }) => plan.cause !== "none")
    .map(({ plan, log }) => ({ plan, file: report(hkpd, log, log.replace(/csv$/, "html")) }));
};

const makeReports = () => {
  writePlanted(inFolder("planted.csv"));
  writeNames(inFolder("hostile.csv"), true);
  writeNames(inFolder("harmless.csv"), false);
  writeMany(inFolder("many.csv"));
  writeBusy(inFolder("busy.csv"), true);
  writeBusy(inFolder("calm.csv"), false);
  writeSeveral(inFolder("several.csv"));
  const inputs = { busy: "busy.csv", several: "several.csv", planted: "planted.csv", hostile: "hostile.csv", harmless: "harmless.csv", many: "many.csv" };
  const pages = {};
  const demo = new URL("../../../testdata/captures/demo.bin", import.meta.url).pathname;
  for (const kind of ["hostile", "harmless"]) {
    const titles = inFolder(`${kind}-009.txt`);
    writeTitles(titles, kind === "hostile");
    pages[`${kind} titles`] = report(hkpd, demo, inFolder(`${kind}-titles.html`), ["--titles", titles]);
  }
  const add = (name, input) => { pages[name] = report(hkpd, input, inFolder(`${name}.html`)); };
  for (const [name, input] of Object.entries(inputs)) add(name, inFolder(input));
  for (const [name, log] of real) add(name, log.file);
  pages.baseline = report(hkpd, inFolder("busy.csv"), inFolder("baseline.html"), ["--baseline", inFolder("calm.csv")]);
  if (existsSync(LOGS.vista.file)) {
    const bytes = readFileSync(LOGS.vista.file);
    writeFileSync(inFolder("damaged.blg"), bytes.subarray(0, bytes.length * 0.6));
    add("damaged", inFolder("damaged.blg"));
    add("directory", join(shared, "data/v1/vista-2007"));
  }
  if (all) {
    simulate(hkpd, inFolder("day.mcap"), 86400);
    add("day", inFolder("day.mcap"));
  }
  return pages;
};

// ---- how pages look, at two widths in both themes

const LOOKED_AT = ["busy", "baseline", "several", "win10", "vista", "damaged", "directory", "planted", "day", "hostile"];

const checkLook = async (browser, name, file) => {
  for (const width of [360, 1600]) {
    for (const theme of ["light", "dark"]) {
      const page = await browser.open(file, { width, theme });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${name} at ${width}: ${wide} pixels wide`);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll(".finding details, #counters > details:first-of-type")) details.open = true;
      });
      if (width === 1600 && name !== "hostile") {
        const sideways = await page.evaluate(() => [...document.querySelectorAll(".scroll, pre")]
          .filter((element) => element.scrollWidth > element.clientWidth + 1).map((element) => `${element.ariaLabel} ${element.scrollWidth} > ${element.clientWidth}`));
        assert.deepEqual(sideways, [], name);
      }
      const height = Math.min(8000, await page.evaluate(() => document.documentElement.scrollHeight));
      await page.setViewportSize({ width, height });
      await settle(page);
      await page.screenshot({ path: inFolder(`${name}-${width}-${theme}.png`) });
      const chart = page.locator("figure.chart.ready").first();
      if (await chart.count() > 0) {
        // axe takes minutes for the table of a day.
        const tools = name === "planted" || name === "day" ? "Command" : /Table|Command/;
        for (const button of await chart.locator(".tools").getByRole("button", { name: tools }).all()) await button.click();
      }
      await browser.checkAxe(page);
      await browser.close(page);
    }
  }
};

// ---- values

const localText = (time, hours) => new Date(time + hours * 3600000).toISOString().replace("T", " ").slice(0, 19);

/** Returns the tables of all counters of a page: object, counter, rows of cells. */
const allTables = async (page) => {
  await openAll(page);
  await page.evaluate(() => {
    for (const figure of document.querySelectorAll("#counters figure")) {
      figure.querySelector(".tools button").click(); // Table
      const more = figure.querySelector(".values p button:last-child");
      while (!more.hidden) more.click();
    }
  });
  return page.evaluate(() => [...document.querySelectorAll("#counters details.object:not(.constant)")].flatMap((object) =>
    [...object.querySelectorAll("figure")].map((figure) => ({
      object: object.querySelector("summary .name").textContent,
      counter: figure.querySelector("figcaption .title").textContent,
      rows: [...figure.querySelector(".values table").rows].map((row) => [...row.cells].map((cell) => cell.firstChild?.textContent ?? "")),
    }))));
};

/** Checks that each number in the tables of a page is that of `hkpd replay`, and that no series is missing. */
const checkValues = async (browser, name, file, log) => {
  const expected = await replay(hkpd, log.file, inFolder("replay.jsonl"));
  const times = [...new Set([...expected.values()].flatMap((series) => series.map(([time]) => time)))].sort((a, b) => a - b);
  const page = await browser.open(file);
  let compared = 0;
  const seen = new Set();
  for (const { object, counter, rows } of await allTables(page)) {
    assert.deepEqual(rows.slice(1).map((row) => row[0]), times.map((time) => localText(time, log.hours)), `${object} ${counter}`);
    rows[0].slice(1).forEach((label, column) => {
      const series = [label, ""].map((instance) => [object, counter, instance].join("\n")).find((key) => expected.has(key));
      assert.ok(series, `${object} ${counter}: ${label} is no series of replay`);
      assert.ok(!seen.has(series), `${series} is on the page twice`);
      seen.add(series);
      const values = new Map(expected.get(series));
      times.forEach((time, row) => {
        const value = values.get(time) ?? null;
        const cell = rows[row + 1][column + 1];
        assert.equal(cell === "" || cell === "–" ? null : Number(cell), value, `${series} at ${time}`);
        if (value !== null) ++compared;
      });
    });
  }
  const counters = new Set([...seen].map((key) => key.split("\n").slice(0, 2).join("\n")));
  // Those that are not in the section of counters that varied have one value, or none.
  for (const [key, series] of expected) {
    const values = series.map(([, value]) => value).filter((value) => typeof value === "number");
    const counter = key.split("\n").slice(0, 2).join("\n");
    if (!seen.has(key) && values.length > 0) {
      assert.ok(!counters.has(counter) && new Set(values).size === 1, `${key} is not on the page`);
    }
  }
  await browser.close(page);
  assert.ok(compared > 100);
  return `${compared} values`;
};

/** Checks that min, mean and max of each slot of the planted day are those of its samples. */
const checkReduced = async (browser, file) => {
  const expected = await replay(hkpd, inFolder("planted.csv"), inFolder("replay.jsonl"));
  const page = await browser.open(file);
  const [{ rows }] = await allTables(page);
  const labels = rows[0].slice(1).filter((text) => text.startsWith("min of ")).map((text) => text.slice("min of ".length));
  assert.equal(labels.length, 3);
  let compared = 0;
  const position = new Map();
  for (const row of rows.slice(1)) {
    const [from, to = from] = row[0].split(" – ");
    const utc = (text) => Date.parse(`${text.replace(" ", "T")}-08:00`);
    const [first, last] = [utc(from), utc(to.length > 8 ? to : `${from.slice(0, 11)}${to}`)];
    labels.forEach((label, column) => {
      const series = expected.get(`Processor\n% Processor Time\n${label}`);
      let at = position.get(label) ?? 0;
      const values = [];
      for (; at < series.length && series[at][0] <= last; ++at) if (series[at][0] >= first) values.push(series[at][1]);
      position.set(label, at);
      const [min, mean, max] = row.slice(1 + 3 * column, 4 + 3 * column).map(Number);
      assert.equal(min, Math.min(...values));
      assert.equal(max, Math.max(...values));
      const sum = values.reduce((a, b) => a + b, 0) / values.length;
      assert.ok(Math.abs(mean - sum) <= 1e-9 * Math.abs(sum), `${label} ${row[0]}: mean ${mean}, expected ${sum}`);
      compared += values.length;
    });
  }
  assert.equal(compared, 3 * (PLANTED.seconds - (PLANTED.gap[1] - PLANTED.gap[0])));
  await browser.close(page);
  return `${rows.length - 1} slots of ${compared} samples`;
};

/** Checks the statistics of all instances of all counters. */
const checkStatistics = async (browser, file, log) => {
  const expected = await replay(hkpd, log.file, inFolder("replay.jsonl"));
  const page = await browser.open(file);
  await openAll(page);
  const rows = await page.evaluate(() => [...document.querySelectorAll("#counters details.object:not(.constant)")].flatMap((object) =>
    [...object.querySelectorAll("figure")].flatMap((figure) => [...figure.querySelectorAll(".statistics tbody tr")].map((row) => ({
      counter: [object.querySelector("summary .name").textContent, figure.querySelector("figcaption .title").textContent],
      name: row.querySelector("th").textContent,
      values: [...row.querySelectorAll("td.number")].map((cell) => cell.querySelector("data")?.value ?? ""),
    })))));
  for (const { counter, name, values: [min, mean, , , max, last] } of rows) {
    const key = [...counter, name.replace(/ \(pid \d+\)$/, "")].join("\n");
    assert.ok(expected.has(key), `${key} is no series of replay`);
    const values = expected.get(key).map(([, value]) => value).filter((value) => value !== null);
    if (values.length === 0) {
      assert.equal(max, "", key);
      continue;
    }
    assert.equal(Number(min), Math.min(...values), key);
    assert.equal(Number(max), Math.max(...values), key);
    assert.equal(Number(last), values[values.length - 1], key);
    const sum = values.reduce((a, b) => a + b, 0) / values.length;
    assert.ok(Math.abs(Number(mean) - sum) <= 1e-9 * Math.abs(sum), `${key}: mean ${mean}, expected ${sum}`);
  }
  await browser.close(page);
  assert.ok(rows.length > 0);
  return `${rows.length} series`;
};

/** Checks the numbers of all findings whose condition is one comparison. */
const checkFindings = async (browser, file, log) => {
  const expected = await replay(hkpd, log, inFolder("replay.jsonl"));
  const page = await browser.open(file);
  const findings = await page.evaluate(() => [...document.querySelectorAll("article.finding")].flatMap((article) => {
    const heads = [...article.querySelectorAll("details > .scroll thead th")].map((cell) => cell.textContent);
    return [...article.querySelectorAll("details > .scroll tbody tr")].map((row) => ({
      path: article.querySelector(".source")?.textContent ?? "",
      cells: Object.fromEntries([...row.cells].map((cell, i) => [heads[i], {
        text: cell.textContent,
        numbers: [...cell.querySelectorAll("data")].map((data) => Number(data.value)),
        time: Date.parse(cell.querySelector("time")?.dateTime ?? ""),
      }])),
    }));
  }));
  let compared = 0;
  for (const { path, cells } of findings) {
    const [, object, , counter] = /Rule: \\([^(\\]*)(\([^)]*\))?\\(.*), file /.exec(path) ?? [];
    const series = [...expected].find(([key]) => {
      const [ofObject, ofCounter, instance] = key.split("\n");
      return ofObject.startsWith(object?.replace(/\*$/, "")) && ofCounter === counter && (instance === cells.Instance.text || instance === "");
    })?.[1];
    const [, operator] = /^([<>]=?) /.exec(cells.Condition.text) ?? [];
    const [limit] = cells.Limit.numbers;
    if (!series || !operator) continue;
    const sign = operator.startsWith(">") ? 1 : -1;
    const values = series.filter(([, value]) => value !== null);
    const exceeding = values.filter(([, value]) => sign * value > sign * limit || (operator.length === 2 && value === limit));
    const worst = exceeding.reduce((a, b) => (sign * b[1] > sign * a[1] ? b : a));
    const name = `${path} ${cells.Condition.text}`;
    assert.deepEqual(cells["Values beyond the limit"].numbers, [exceeding.length, values.length], name);
    assert.equal(cells.Worst.numbers[0], worst[1], name);
    assert.equal(cells.at.time, worst[0], name);
    assert.equal(cells.First.time, exceeding[0][0], name);
    assert.equal(cells.Last.time, exceeding[exceeding.length - 1][0], name);
    ++compared;
  }
  await browser.close(page);
  assert.ok(compared > 0, `none of ${findings.length} findings was compared`);
  return `${compared} of ${findings.length} findings`;
};

// ---- the planted peak

/** Returns for each column of a chart's plot whether a pixel of it, near a height (0 top, 1 bottom), has a colour. */
const columnsAt = (chart, height, color) => chart.evaluate((element, [part, name]) => {
  const canvas = element.querySelector("canvas");
  const [outer, over] = [canvas.getBoundingClientRect(), element.querySelector(".u-over").getBoundingClientRect()];
  const ratio = canvas.width / outer.width;
  const left = Math.round((over.left - outer.left) * ratio);
  const top = Math.round((over.top - outer.top + over.height * part) * ratio);
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const rgb = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const { data } = canvas.getContext("2d").getImageData(left, top, Math.round(over.width * ratio), 1);
  return Array.from({ length: data.length / 4 }, (_, i) =>
    data[4 * i + 3] > 200 && rgb.every((value, c) => Math.abs(data[4 * i + c] - value) < 40));
}, [height, color]);

const checkPeak = async (browser, file) => {
  for (const width of [360, 1600]) {
    const page = await browser.open(file, { width });
    await page.evaluate(() => { document.querySelector("#counters details").open = true; });
    const chart = await figure(page, "% Processor Time", "#counters");
    const color = await chart.evaluate((element) => {
      const rows = [...element.querySelectorAll("table.legend tbody tr")];
      const row = rows.find((each) => each.querySelector(".name").textContent === "1");
      return /--series-\d/.exec(row.querySelector(".swatch").style.borderColor)[0];
    });
    // Of the axis from 0 to 100, at 80: far above all other values.
    const columns = await columnsAt(chart, 0.2, color);
    const found = columns.flatMap((is, i) => (is ? [i] : []));
    const expected = (PLANTED.at / (PLANTED.seconds - 1)) * columns.length;
    assert.ok(found.length >= 1 && found.length <= 8, `${found.length} columns at the height of the peak`);
    for (const column of found) assert.ok(Math.abs(column - expected) < 5, `peak in column ${column}, expected ${expected}`);
    await browser.close(page);
  }
};

// ---- interaction

const checkZoom = async (browser, file) => {
  const page = await browser.open(file);
  const first = await firstCounter(page);
  const whole = await range(page);
  assert.match(whole, /^2016-11-26 13:46:30 – 2016-11-27 13:46:29 /);
  const reset = page.getByRole("button", { name: "Show all" });
  assert.ok(await reset.isDisabled());
  await drag(page, first, 0.25, 0.5);
  const zoomed = await range(page);
  assert.notEqual(zoomed, whole);
  // A quarter of the day: from 19:46:30 to 01:46:30, within the width of two pixels.
  const start = Date.parse(`${zoomed.slice(0, 19).replace(" ", "T")}Z`);
  assert.ok(Math.abs(start - Date.UTC(2016, 10, 26, 19, 46, 30)) < 240000, zoomed);
  // Another chart shows the same range: under its left edge is the time at which the range begins.
  const last = await figure(page, "% Processor Time", "#counters");
  await hover(page, last, 0.001);
  const shown = Date.parse(`${(await readout(last)).time.slice(0, 19).replace(" ", "T")}Z`);
  assert.ok(Math.abs(shown - start) < 300000, `${shown} is not near ${start}`);
  await reset.click();
  assert.equal(await range(page), whole);
  // The wheel zooms with Ctrl only.
  await hover(page, last, 0.5);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -120);
  await page.keyboard.up("Control");
  await settle(page);
  assert.notEqual(await range(page), whole);
  await last.locator(".u-over").dblclick();
  assert.equal(await range(page), whole);
  await browser.close(page);
};

/** Charts over both runs show elapsed time, and are zoomed without the others. */
const checkBaseline = async (browser, file) => {
  const page = await browser.open(file);
  const whole = await range(page);
  const chart = await figure(page, "% Processor Time", "#changes");
  const cells = await table(chart);
  const kinds = ["min", "mean", "max"];
  assert.deepEqual(cells[0], ["Elapsed", ...["before", "after"].flatMap((run) => kinds.map((kind) => `${kind} of _Total, ${run}`))]);
  const [calm, busy] = await Promise.all(["calm.csv", "busy.csv"].map((name) => replay(hkpd, inFolder(name), inFolder(`${name}.jsonl`))));
  const key = "Processor\n% Processor Time\n_Total";
  const seconds = (text) => text.slice(1).split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  for (const row of cells.slice(1)) {
    const [from, to = from] = row[0].split(" – ").map(seconds);
    [calm, busy].forEach((run, i) => {
      const values = run.get(key).slice(from, to + 1).map(([, value]) => value);
      const [min, , max] = row.slice(1 + 3 * i, 4 + 3 * i).map(Number);
      assert.deepEqual([min, max], [Math.min(...values), Math.max(...values)], row[0]);
    });
  }
  await chart.scrollIntoViewIfNeeded();
  await drag(page, chart, 0.25, 0.5);
  assert.match(await range(page), /^\+0:1[45]:\d\d – \+0:(29|30):\d\d /);
  await hover(page, chart, 0.5);
  const { time, rows } = await readout(chart);
  assert.match(time, /^\+0:22:/);
  assert.ok(Number(rows[0][2]) < 20 && Number(rows[1][2]) > 90, JSON.stringify(rows));
  await page.getByRole("button", { name: "Show all" }).click();
  assert.equal(await range(page), whole);
  await browser.close(page);
};

const checkHover = async (browser, file) => {
  const page = await browser.open(file);
  const chart = await firstCounter(page);
  const rest = await readout(chart);
  assert.equal(rest.time, "Whole log");
  const cells = await table(chart);
  const labels = cells[0].slice(1);
  await chart.scrollIntoViewIfNeeded();
  for (const part of [0.1, 0.35, 0.6, 0.95]) {
    await hover(page, chart, part);
    const shown = await readout(chart);
    const row = cells.find((each) => each[0] === shown.time);
    assert.ok(row, `${shown.time} is a row of the table`);
    for (const [name, ...values] of shown.rows) {
      const keys = labels.includes(name) ? [["", 1]] : [["min of ", 0], ["mean of ", 1], ["max of ", 2]];
      for (const [key, i] of keys) {
        const column = labels.indexOf(key + name);
        assert.ok(column >= 0, name);
        assert.equal(values[i], row[column + 1].replace("–", ""), `${key}${name} at ${shown.time}`);
      }
    }
  }
  await page.mouse.move(2, 2);
  assert.deepEqual(await readout(chart), rest);
  await browser.close(page);
};

const checkKeys = async (browser, file) => {
  const page = await browser.open(file);
  const whole = await range(page);
  const chart = await firstCounter(page);
  const plot = chart.locator(".plot");
  assert.match(await plot.getAttribute("aria-label"), /^[^.]+chart.*from 2016-11-26 .* to 2016-11-2\d .*\.$/);
  await plot.focus();
  assert.equal(await chart.locator(".readout").getAttribute("aria-live"), "polite");
  const times = [];
  for (const key of ["ArrowRight", "ArrowRight", "End", "ArrowLeft", "Home"]) {
    await page.keyboard.press(key);
    await settle(page);
    times.push((await readout(chart)).time);
  }
  assert.equal(times[0], times[4]);
  assert.ok(times[0] < times[1] && times[1] < times[3] && times[3] < times[2], times.join(", "));
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  const zoomed = await range(page);
  assert.notEqual(zoomed, whole);
  await page.keyboard.press("-");
  assert.notEqual(await range(page), zoomed);
  await page.keyboard.press("Escape");
  assert.equal(await range(page), whole);
  await browser.close(page);
  // The first Tab shows the link that skips the head.
  const fresh = await browser.open(file);
  await fresh.keyboard.press("Tab");
  assert.equal(await fresh.evaluate(() => document.activeElement.className), "skip");
  await browser.close(fresh);
};

const checkCopy = async (browser, file) => {
  const page = await browser.open(file);
  const chart = await firstCounter(page);
  const cells = await table(chart);
  const copy = chart.getByRole("button", { name: "Copy as TSV" });
  await copy.click();
  await chart.getByRole("button", { name: "Copied" }).waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  const lines = text.trimEnd().split("\n").map((line) => line.split("\t"));
  assert.equal(lines.length, cells.length);
  lines.slice(1).forEach((line, i) => assert.deepEqual(line.slice(2), cells[i + 1].slice(1).map((cell) => cell.replace("–", ""))));
  for (const title of lines[0].slice(2)) assert.match(title, /^(min|mean|max|value) of /);
  // A browser that does not allow it shows the text selected.
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("not allowed")) } });
    document.execCommand = () => false;
  });
  await chart.getByRole("button", { name: "Command", exact: true }).click();
  await chart.locator(".command").getByRole("button").click();
  await chart.locator("textarea").waitFor();
  const selected = await page.evaluate(() => {
    const { value, selectionStart, selectionEnd } = document.activeElement;
    return value.slice(selectionStart, selectionEnd);
  });
  assert.match(selected, /^hkpd replay /);
  assert.equal(selected, await chart.locator(".command code").textContent());
  await browser.close(page);
};

const checkFilter = async (browser, file) => {
  const page = await browser.open(file);
  const counters = MANY.objects * MANY.counters;
  const series = counters * MANY.instances;
  const result = page.locator("#counters .result");
  assert.equal(await result.textContent(), `${counters} of ${counters} counters, ${series} of ${series} series`);
  assert.equal(await page.locator("#counters figure").count(), 0);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "filter");
  const fill = async (text) => {
    const begin = Date.now();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
    await settle(page);
    return Date.now() - begin;
  };
  const time = await fill("COUNTER instance");
  assert.ok(time < 1000, `filtering ${series} series took ${time} ms`);
  await fill("3Y object 7z 2x");
  const kept = (text) => text.includes("3y") && text.includes("7z") && text.includes("2x");
  const names = Array.from({ length: series }, (_, i) =>
    `object ${Math.floor(i / MANY.counters / MANY.instances)}x instance ${Math.floor(i / MANY.counters) % MANY.instances}y ` +
    `counter ${i % MANY.counters}z`).filter(kept);
  const keptCounters = new Set(names.map((name) => name.replace(/instance \d+y/, ""))).size;
  assert.equal(await result.textContent(), `${keptCounters} of ${counters} counters, ${names.length} of ${series} series`);
  assert.equal(await page.locator("#counters figure:visible").count(), keptCounters);
  await fill("no such counter");
  assert.equal(await page.locator("#counters details.object:visible:not(.constant)").count(), 0);
  await fill(" ");
  assert.equal(await page.locator("#counters details.object:visible:not(.constant)").count(), MANY.objects);
  await browser.close(page);
};

/** Returns the number of drawings of a PDF in which lines are drawn: Chromium prints each canvas as one. */
const drawingsOf = (pdf) => {
  const text = pdf.toString("latin1");
  let count = 0;
  for (const { index, 0: head } of text.matchAll(/\/Subtype \/Form[^]*?stream\r?\n/g)) {
    const end = text.indexOf("endstream", index);
    const content = inflateSync(pdf.subarray(index + head.length, end), { finishFlush: constants.Z_SYNC_FLUSH }).toString("latin1");
    if ((content.match(/ l\n/g) ?? []).length > 5) ++count;
  }
  return count;
};

/** Returns what is wrong with a page as it is printed: charts and tables that are missing, hidden or wider than the paper. */
const faultsOfPrint = (page) => page.evaluate(() => {
  const faults = [];
  const width = document.documentElement.clientWidth;
  const isShown = (element) => element !== null && element.checkVisibility() && element.getBoundingClientRect().width > 0;
  const check = (name, element, expected) => {
    if (isShown(element) !== expected) faults.push(`${name} ${expected ? "is not shown" : "is shown"}`);
    else if (expected && (element.getBoundingClientRect().right > width + 1 || element.scrollWidth > element.clientWidth + 1)) faults.push(`${name} is cut`);
  };
  for (const figure of document.querySelectorAll("figure.chart[data-chart]")) {
    check(`picture of ${figure.id}`, figure.querySelector(".static > svg"), true);
    check(`legend of ${figure.id}`, figure.querySelector(".key"), true);
    check(`drawing of ${figure.id}`, figure.querySelector(".plot"), false);
  }
  for (const article of document.querySelectorAll("article.finding")) {
    check(`table of ${article.id}`, article.querySelector(".scroll"), true);
    check(`table of ${article.id}`, article.querySelector(".scroll table"), true);
    for (const row of article.querySelectorAll(".scroll tr")) check(`row of ${article.id}`, row, true);
  }
  for (const scroll of document.querySelectorAll(".scroll")) {
    if (isShown(scroll) && scroll.scrollHeight > scroll.clientHeight + 1) faults.push(`a table is cut after ${scroll.clientHeight} pixels`);
  }
  return faults;
});

const PAPER = 680; // pixels between the margins of A4

const checkPrint = async (browser, file) => {
  for (const scripts of [true, false]) {
    const page = await browser.open(file, { theme: "dark", scripts, width: PAPER });
    await page.pdf({ path: inFolder(scripts ? "print.pdf" : "print-static.pdf"), format: "A4", margin: { top: "15mm", bottom: "15mm", left: "15mm", right: "15mm" } });
    await page.emulateMedia({ media: "print" });
    assert.deepEqual(await faultsOfPrint(page), []);
    // Paper is light in every theme.
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".c1")).color), "rgb(0, 114, 178)");
    if (!scripts) {
      await page.context().close();
      continue;
    }
    // Everything is as it was.
    assert.equal(await page.evaluate(() => document.querySelectorAll("main section:not(#counters) details[open]").length), 0);
    assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    // A part of the time is printed as it is shown.
    await page.emulateMedia({ media: "screen" });
    const chart = page.locator("figure.chart[data-chart]").first();
    await chart.scrollIntoViewIfNeeded();
    await chart.locator("canvas").waitFor();
    await drag(page, chart, 0.25, 0.5);
    const drawings = drawingsOf(await page.pdf({ path: inFolder("print-zoomed.pdf"), format: "A4", margin: { left: "15mm", right: "15mm" } }));
    assert.equal(drawings, await page.locator("figure.chart.ready[data-chart]").count());
    await browser.close(page);
  }
};

/** Makes the picture of README.md, and compares it with the one in testdata. */
const checkPicture = async (browser) => {
  copyFileSync(new URL("../../../testdata/logs/leak.csv", import.meta.url), inFolder("leak.csv"));
  execFileSync(hkpd, ["report", "leak.csv", "-o", "picture.html"], { cwd: folder });
  const page = await browser.open(inFolder("picture.html"), { width: 1000, height: 1000 });
  await settle(page);
  const made = await page.screenshot({ path: inFolder("report.png"), clip: { x: 0, y: 0, width: 1000, height: 1000 } });
  await browser.close(page);
  const kept = new URL("../../../testdata/pictures/report.png", import.meta.url);
  const blank = await (await browser.chromium.newContext()).newPage();
  const differing = await blank.evaluate(async (pictures) => {
    const [a, b] = await Promise.all(pictures.map(async (picture) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height);
    }));
    if (a.width !== b.width || a.height !== b.height) return 1;
    let count = 0;
    for (let i = 0; i < a.data.length; i += 4)
      if ([0, 1, 2].some((channel) => Math.abs(a.data[i + channel] - b.data[i + channel]) > 48)) ++count;
    return count / (a.width * a.height);
  }, [made, readFileSync(kept)].map((bytes) => bytes.toString("base64")));
  await blank.context().close();
  // Fonts and versions of Chromium may differ.
  assert.ok(differing < 0.05, `${differing} of the pixels differ: look at report.png, and copy it to testdata/pictures`);
  return `${(100 * differing).toFixed(1)} % of the pixels differ`;
};

const checkNames = async (browser, hostile, harmless, patterns) => {
  const shape = async (file) => {
    const page = await browser.open(file);
    await openAll(page);
    await page.evaluate(() => { for (const button of document.querySelectorAll("figure .tools button")) button.click(); });
    await settle(page);
    const elements = await page.evaluate(() => [...document.querySelectorAll("*")].map((element) =>
      [element.tagName, ...element.getAttributeNames().sort()].join(" ")));
    const text = await page.evaluate(() => document.body.innerText);
    await browser.close(page);
    return { elements, text };
  };
  const [one, other] = [await shape(hostile), await shape(harmless)];
  // Charts are drawn near the viewport only: the canvases differ with the height of the text above them.
  const own = (elements) => elements.filter((text) => !/^(CANVAS|DIV class( style)?$)/.test(text)).sort();
  assert.deepEqual(own(one.elements), own(other.elements));
  assert.doesNotMatch(one.text, /[\u202A-\u202E\u2066-\u2069\u200B]/);
  for (const pattern of patterns) assert.match(one.text, pattern);
  return `${one.elements.length} elements`;
};

const checkWithoutScripts = async (browser, name, file) => {
  let pictures = 0;
  // axe is a script: it gets the page without the scripts of its own.
  const plain = inFolder(`${name}-plain.html`);
  writeFileSync(plain, readFileSync(file, "utf8").replaceAll(/<script[^]*?<\/script>/g, "").replaceAll(/<\/?noscript>/g, ""));
  for (const [width, theme] of [[390, "light"], [1024, "dark"], [1600, "light"]]) {
    const page = await browser.open(file, { scripts: false, width, theme });
    const text = await page.locator("body").innerText();
    assert.match(text, /Without scripts/);
    assert.match(text, /Findings/);
    const { wide, faults, count } = await page.evaluate(() => {
      const faults = [];
      const figures = [...document.querySelectorAll("figure.chart")];
      for (const figure of figures) {
        const svg = figure.querySelector(".static > svg");
        const box = figure.getBoundingClientRect();
        if (!svg?.checkVisibility() || !svg.querySelector("path.line, path.area")) faults.push(`${figure.id} has no picture`);
        const labels = [...svg?.querySelectorAll("text") ?? []].map((label) => label.getBoundingClientRect());
        labels.forEach((label, i) => {
          if (label.left < box.left || label.right > box.right) faults.push(`${figure.id}: label ${i} is outside`);
          for (const other of labels.slice(i + 1)) {
            if (label.left < other.right && other.left < label.right && label.top + 3 < other.bottom && other.top + 3 < label.bottom) faults.push(`${figure.id}: labels over each other`);
          }
        });
      }
      return { wide: document.documentElement.scrollWidth, faults, count: figures.length };
    });
    assert.deepEqual(faults, [], `${name} at ${width}`);
    assert.ok(wide <= width, `${name} at ${width}: ${wide} pixels wide`);
    pictures = count;
    await page.context().close();
    const other = await browser.open(plain, { ready: false, width, theme });
    await browser.checkAxe(other);
    await browser.close(other);
  }
  return `${pictures} pictures`;
};

/** Checks that the scripts have the axes of the pictures that the report has drawn. */
const checkAxes = async (browser, file) => {
  const page = await browser.open(file);
  const [compared, faults] = await page.evaluate(async () => {
    const data = await HkpdData.load();
    const faults = [];
    let compared = 0;
    for (const figure of document.querySelectorAll("figure.chart[data-chart]")) {
      const { unit, scale = 1, series, limits, kind } = data.charts[Number(figure.dataset.chart)];
      const svg = figure.querySelector(".static > svg");
      const [low, high] = [Number(svg.dataset.low), Number(svg.dataset.high)];
      const shown = [...svg.querySelectorAll(".y text")].map((text) => text.textContent);
      const own = hkpdAxis.ticks(low, high, unit, 4).map(({ text }) => text);
      if (shown.join() !== own.join()) faults.push(`${figure.id}: ${shown} in the picture, ${own} in the chart`);
      ++compared;
      if (kind === "stack") continue;
      const all = series.map((index) => data.series[index]);
      const [min, max] = [Math.min(...all.map((one) => one.min)), Math.max(...all.map((one) => one.max))];
      const near = limits.map(({ value }) => value).filter((value) => value > max && value <= 2.5 * max);
      const range = hkpdAxis.range({ min: min * scale, max: Math.max(max, ...near) * scale, unit, fromZero: near.length > 0 }, 4);
      if ([low, high].some((end, i) => Math.abs(end - range[i]) > 1e-9 * Math.abs(end))) faults.push(`${figure.id}: from ${low} to ${high}, and in the chart ${range}`);
    }
    return [compared, faults];
  });
  assert.deepEqual(faults, []);
  assert.ok(compared > 0);
  await browser.close(page);
  return `${compared} charts`;
};

const checkText = async (browser, file) => {
  const page = await browser.open(file);
  const quantities = readFileSync(new URL("../../../testdata/quantities.tsv", import.meta.url), "utf8").trim()
    .split("\n").filter((line) => !line.startsWith("#")).map((line) => line.split("\t"));
  const shown = await page.evaluate((quantities) => {
    const zone = new HkpdZone({ name: "", offsets: [[1000, -480], [Date.UTC(2016, 2, 13, 10), -420], [Date.UTC(2016, 10, 6, 9), -480]] });
    const { short, elapsed, duration, name } = hkpdText;
    return {
      winter: zone.text(Date.UTC(2016, 2, 13, 9, 59, 59, 999)),
      summer: zone.text(Date.UTC(2016, 2, 13, 10)),
      autumn: [zone.text(Date.UTC(2016, 10, 6, 8, 59, 59, 120), true), zone.text(Date.UTC(2016, 10, 6, 9))],
      quantities: quantities.map(([value, unit]) => short(Number(value), unit)),
      elapsed: [elapsed(3723000), elapsed(1500, true)],
      duration: [duration(1500), duration(3600000), duration(90061000)],
      names: [name(""), name("a\u202Eb\x07"), name("\u{E0041}")],
    };
  }, quantities);
  assert.deepEqual(shown, {
    winter: "2016-03-13 01:59:59",
    summer: "2016-03-13 03:00:00",
    autumn: ["2016-11-06 01:59:59.120", "2016-11-06 01:00:00"],
    quantities: quantities.map(([, , text]) => text),
    elapsed: ["+1:02:03", "+0:00:01.500"],
    duration: ["1.5 s", "60 min", "25.02 h"],
    names: ["(empty)", "a\\u202Eb\\x07", "\\uE0041"],
  });
  await browser.close(page);
};

// ---- all of it

const failures = [];
const step = async (name, check) => {
  const begin = Date.now();
  try {
    const remark = await check();
    console.log(`ok      ${name} ${((Date.now() - begin) / 1000).toFixed(1)} s${remark ? `  ${remark}` : ""}`);
  } catch (error) {
    failures.push(name);
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
};

const pages = makeReports();
const browser = await Browser.start(folder);
try {
  for (const name of LOOKED_AT) if (pages[name]) await step(`look of ${name}`, () => checkLook(browser, name, pages[name]));
  for (const [name, log] of real) await step(`values of ${name}`, () => checkValues(browser, name, pages[name], log));
  for (const [name, log] of real) await step(`statistics of ${name}`, () => checkStatistics(browser, pages[name], log));
  await step("findings of busy", () => checkFindings(browser, pages.busy, inFolder("busy.csv")));
  if (pages.vista) await step("findings of vista", () => checkFindings(browser, pages.vista, LOGS.vista.file));
  await step("text", () => checkText(browser, pages.planted));
  await step("values of planted", () => checkReduced(browser, pages.planted));
  await step("peak", () => checkPeak(browser, pages.planted));
  await step("zoom", () => checkZoom(browser, pages.planted));
  await step("baseline", () => checkBaseline(browser, pages.baseline));
  await step("hover, reduced", () => checkHover(browser, pages.planted));
  if (pages.win10) await step("hover", () => checkHover(browser, pages.win10));
  await step("keys", () => checkKeys(browser, pages.planted));
  await step("what happened here", () => checkHappened(browser, hkpd, pages.busy));
  await step("what happened here, planted", () => checkPlantedPeaks(browser, makePlantedReports()));
  await step("what happened here, look", () => checkHappenedLook(browser, [pages.busy, pages.hostile]));
  await step("copy", () => checkCopy(browser, pages.planted));
  await step("filter", () => checkFilter(browser, pages.many));
  for (const name of ["vista", "busy", "several", "baseline"]) if (pages[name]) await step(`print of ${name}`, () => checkPrint(browser, pages[name]));
  await step("picture of README", () => checkPicture(browser));
  await step("names", () => checkNames(browser, pages.hostile, pages.harmless,
    [/\\u202Egnp\.exe/, /<\/script><script>alert\(1\)<\/script>/]));
  await step("names of 64 KB", () => checkNames(browser, pages["hostile titles"], pages["harmless titles"],
    [/\\u202Egnp\.exe/, /<\/script><b onclick=a\(\)>/, /javascript:alert/]));
  for (const name of ["planted", "busy", "baseline", "several", "vista", "hostile"]) {
    if (pages[name]) await step(`without scripts, ${name}`, () => checkWithoutScripts(browser, name, pages[name]));
    if (pages[name]) await step(`axes of ${name}`, () => checkAxes(browser, pages[name]));
  }
} finally {
  await browser.stop();
}
process.exitCode = failures.length === 0 ? 0 : 1;
