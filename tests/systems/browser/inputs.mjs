// Text logs with known content, and what `hkpd replay` prints for a log.
import { execFileSync, spawnSync } from "node:child_process";
import { createReadStream, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const HEAD = "(PDH-CSV 4.0) (Pacific Standard Time)(480)";
const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
const START = Date.UTC(2016, 10, 26, 13, 46, 30); // local time, as in a log

const localTime = (second) => {
  const text = new Date(START + second * 1000).toISOString();
  return `${text.slice(5, 7)}/${text.slice(8, 10)}/${text.slice(0, 4)} ${text.slice(11, 23)}`;
};

/** Writes a log of one row per second. `value(path number, second)` returns a number, or null for none; seconds for which
 *  `isMissing` is true have no row. */
const writeLog = (file, paths, seconds, value, isMissing = () => false) => {
  const lines = [[HEAD, ...paths].map(quoted).join(",")];
  for (let second = 0; second < seconds; ++second) {
    if (isMissing(second)) continue;
    const values = paths.map((path, i) => value(i, second) ?? " ");
    lines.push([localTime(second), ...values].map((each) => quoted(String(each))).join(","));
  }
  writeFileSync(file, lines.join("\r\n") + "\r\n");
};

// ---- a day with one sample that stands out, and an hour without samples

export const PLANTED = { seconds: 86400, at: 50007, value: 99.25, gap: [30000, 33600] };
const PROCESSORS = ["_Total", "0", "1"].map((name) => `\\\\DAY\\Processor(${name})\\% Processor Time`);

export const writePlanted = (file) => {
  const calm = (i, second) => 20 + 5 * Math.sin(second / 7000 + i) + ((second * 7919 + i * 104729) % 1000) / 500;
  writeLog(file, PROCESSORS, PLANTED.seconds,
    (i, second) => (i === 2 && second === PLANTED.at ? PLANTED.value : calm(i, second).toFixed(6)),
    (second) => second >= PLANTED.gap[0] && second < PLANTED.gap[1]);
};

// ---- an hour with a busy quarter, and an hour before it that was calm

const BUSY = ["Processor(_Total)\\% Processor Time", "Memory\\Available MBytes", "Memory\\Pages/sec", "Process(worker)\\Working Set",
  "PhysicalDisk(0 C:)\\Avg. Disk sec/Read"].map((path) => `\\\\BUSY\\${path}`);

export const writeBusy = (file, isBusy) => {
  const busy = (second) => isBusy && second >= 900 && second < 1800;
  const noise = (i, second) => ((second * 7919 + i * 104729) % 997) / 997;
  const usual = [12, 6000, 3, 2e8, 0.004];
  const much = [97, 60, 2500, 9e8, 0.08];
  writeLog(file, BUSY, 3600, (i, second) => ((busy(second) ? much : usual)[i] * (1 + 0.02 * noise(i, second))).toPrecision(7));
};

// ---- three machines with different counters

const SEVERAL = ["ALPHA\\Processor(_Total)\\% Processor Time", "ALPHA\\Memory\\Available MBytes", "ALPHA\\Network Interface(wired)\\Output Queue Length",
  "BETA\\Memory\\Available KBytes", "BETA\\PhysicalDisk(0 C:)\\Avg. Disk sec/Read", "GAMMA\\Processor(_Total)\\% Processor Time"].map((path) => `\\\\${path}`);

export const writeSeveral = (file) => {
  const noise = (i, second) => ((second * 7919 + i * 104729) % 997) / 997;
  const values = [(n) => 99 * n, (n) => 4000 + 90 * n, () => 0, (n) => 9e6 + 1e6 * n, (n) => 0.02 * n, (n) => 10 * n];
  writeLog(file, SEVERAL, 1800, (i, second) => (i === 5 && second < 900 ? null : values[i](noise(i, second)).toPrecision(7)));
};

// ---- hostile names, and harmless ones of the same shape

const HOSTILE = ["</script><script>alert(1)</script>", "javascript:alert(1)", "\"><img src=x onerror=alert(1)>",
  "\u202Egnp.exe", "x".repeat(900), "=1+1", "';--", "&lt;b&gt;", "--><svg onload=alert(1)>", "${alert(1)}",
  "</title></style><style>*{display:none}", "\u0007\u200B\u2066", "constructor", "__proto__"];

export const writeNames = (file, hostile) => {
  const name = (i) => (hostile ? HOSTILE[i] : `name${i}`);
  const paths = HOSTILE.map((text, i) => `\\\\M\\Process(${name(i)})\\% Processor Time`);
  HOSTILE.forEach((text, i) => {
    if (!/[\\/()]/.test(text)) paths.push(`\\\\M\\${hostile ? `Thing ${text}` : `Thing ${i}`}(a)\\${name(i)}`);
  });
  writeLog(file, paths, 20, (i, second) => (second * (paths.length - i)) % 97);
};

/** Writes titles of objects and counters: hostile ones of 64 KB, one in twenty, or harmless ones as long. */
export const writeTitles = (file, hostile) => {
  const titles = ["1", "1847"];
  for (let index = 2; index <= 1846; index += 2) {
    const length = index % 40 === 0 || index === 238 || index === 6 ? 65000 : 60;
    const text = hostile ? HOSTILE[index / 2 % 5] : "harmless";
    titles.push(String(index), `${index} ${text} `.padEnd(length, hostile ? "</script><b onclick=a()>" : "harmless "));
  }
  writeFileSync(file, `\uFEFF${titles.join("\r\n")}\r\n`);
};

// ---- as many series as a page shows

export const MANY = { objects: 10, counters: 20, instances: 20 };

export const writeMany = (file) => {
  const paths = [];
  for (let o = 0; o < MANY.objects; ++o) {
    for (let i = 0; i < MANY.instances; ++i) {
      for (let c = 0; c < MANY.counters; ++c) paths.push(`\\\\M\\Object ${o}x(instance ${i}y)\\Counter ${c}z`);
    }
  }
  writeLog(file, paths, 5, (i, second) => (i * 31 + second * 17) % 1009);
};

// ---- what hkpd prints

export const report = (hkpd, input, output, options = []) => {
  const done = spawnSync(hkpd, ["report", ...options, ...[input].flat(), "-o", output], { encoding: "utf8" });
  // 1: the input is damaged, and there is a report of the rest.
  if (done.error || done.status > 1) throw new Error(`hkpd report ${input}: exit ${done.status}: ${done.stderr}`);
  return output;
};

export const simulate = (hkpd, output, samples) =>
  execFileSync(hkpd, ["capture", "--simulate", "--count", String(samples), "-o", output], { stdio: "ignore" });

/** Returns what `hkpd replay` prints: for each object, counter and instance, joined by line feeds, a list of times and
 *  values. An instance is the text for it that is unique in the run: its name, with the id if another one has it. */
export const replay = async (hkpd, input, output) => {
  spawnSync(hkpd, ["replay", "--format", "jsonl", input, "-o", output], { stdio: "ignore" });
  const rows = [];
  const add = (sets, key, value) => sets.set(key, (sets.get(key) ?? new Set()).add(value));
  const [names, lives] = [new Map(), new Map()];
  for await (const line of createInterface({ input: createReadStream(output) })) {
    const { time, object, parent, instance, pid, instance_id: id, life, counter, value, reason } = JSON.parse(line);
    if (reason === "not_displayable") continue; // bases, which have the name of their counter
    const bare = pid === null && id === null ? instance?.replace(/#\d+$/, "") : instance;
    const name = [object, parent, bare].join("\n").toLowerCase();
    const ids = [name, instance, pid, id].join("\n").toLowerCase();
    add(names, name, [ids, life].join("\n"));
    add(lives, ids, life);
    rows.push({ time, object, parent, instance: instance ?? "", pid, id, life, name, ids, counter, value });
  }
  const text = ({ parent, instance, pid, id, life, name, ids }) => {
    const unique = names.get(name).size === 1;
    const before = parent === null ? "" : `${parent}${unique || pid === null ? "" : `:${pid}`}/`;
    const after = unique ? "" : pid !== null ? (parent === null ? `:${pid}` : "") : id !== null ? `:${id}` : "";
    return before + instance + after + (lives.get(ids).size > 1 ? `:${life}` : "");
  };
  const series = new Map();
  for (const row of rows) {
    const key = [row.object, row.counter, text(row)].join("\n");
    if (!series.has(key)) series.set(key, []);
    series.get(key).push([Date.parse(row.time), row.value]);
  }
  return series;
};
