// What happened here? Processes, disks, interfaces and counters that are not as usual in a part of the time, against the
// rest of the log: what `hkpd top --at` prints, computed from the slots of the page. The rules and constants are those of
// lib/include/hkpd/window.hpp and lib/src/answers/window_rows.cpp.
'use strict';

const hkpdHappened = (() => {
  const element = hkpdElement;
  const LEAST_SAMPLES = 3;
  const HALF_MINUTE = 30000; // before and after a time
  const DOUBLE_CLICK = 250; // milliseconds
  const NEAR = 6; // pixels around a click in which the highest value is meant
  const MOST = { process: 10, disk: 5, interface: 5, counter: 10 }; // rows
  const MOST_USES = 3; // of a process
  const MOST_OF_INSTANCE = 4;
  const MOST_OF_COUNTER = 3;
  const MEBIBYTE = 2 ** 20;
  const [PROCESSOR, WORKING_SET, PRIVATE_BYTES] = [0, 1, 2];
  const LEAST_OF_USE = [100, 256 * MEBIBYTE, 256 * MEBIBYTE, 5000, 10 * MEBIBYTE, 10 * MEBIBYTE, 1000];

  // ---- numbers

  /** Returns the slots of a grid that have samples in a range of time, at least three: the first and the last one. */
  const rowsIn = ({ times, ends }, min, max) => {
    let first = ends.findIndex((end) => end >= min);
    let last = times.findLastIndex((time) => time <= max);
    if (first < 0 || last < 0) return null;
    while (last - first + 1 < LEAST_SAMPLES && (first > 0 || last < times.length - 1)) {
      const before = first > 0 ? min - ends[first - 1] : Infinity;
      const after = last < times.length - 1 ? times[last + 1] - max : Infinity;
      if (before <= after) --first;
      else ++last;
    }
    return { first, last };
  };

  /** Returns a percentile of sorted numbers, as `quantiles(method='inclusive')` of Python. */
  const percentile = (sorted, percent) => {
    const place = (percent / 100) * (sorted.length - 1);
    const low = Math.floor(place);
    return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (place - low);
  };

  /** Returns what is known of the values of a series in the slots of the window and in the others. A slot counts as often
   *  as it has samples, so that means are those of all samples, unless some in a slot have no value. */
  const numbersOf = (values, { first, last }, weights) => {
    const [inside, rest] = [{ count: 0, sum: 0 }, { count: 0, sum: 0 }];
    const others = [];
    const found = { max: -Infinity, maxRow: -1, firstRow: -1, lastRow: -1 };
    values.mean.forEach((value, row) => {
      if (!Number.isFinite(value)) return;
      if (found.firstRow < 0) found.firstRow = row;
      found.lastRow = row;
      const isInside = row >= first && row <= last;
      const to = isInside ? inside : rest;
      to.count += weights[row];
      to.sum += weights[row] * value;
      if (!isInside) others.push([value, weights[row]]);
      else if (values.max[row] > found.max) Object.assign(found, { max: values.max[row], maxRow: row });
    });
    const mean = rest.sum / rest.count;
    const squares = others.reduce((sum, [value, weight]) => sum + weight * (value - mean) ** 2, 0);
    const sorted = others.map(([value]) => value).sort((a, b) => a - b);
    return {
      ...found, count: inside.count, mean: inside.sum / inside.count, rest: mean, restCount: rest.count, squares,
      deviation: rest.count > 1 ? Math.sqrt(squares / (rest.count - 1)) : 0,
      median: sorted.length ? percentile(sorted, 50) : 0,
      quartiles: sorted.length ? percentile(sorted, 75) - percentile(sorted, 25) : 0,
    };
  };

  /** Returns how many samples of each slot can have a value of a counter: a rate has none in the first sample. */
  const weightsOf = ({ times, samples }, counter) => {
    const weights = samples ? [...samples] : times.map(() => 1);
    if (counter.rate) weights[0] = Math.max(weights[0] - 1, samples ? 0 : 1);
    return weights;
  };
  const sumOf = (weights, { first, last }, isInside) =>
    weights.reduce((sum, weight, row) => ((row >= first && row <= last) === isInside ? sum + weight : sum), 0);

  const isTotal = (name) => /(^|[,/])_Total$|^_Total\//i.test(name ?? '');
  const isIdle = (name) => /^Idle(:0|_0)?($|\/)/i.test(name ?? '');

  /** Reads the series of the log in a window: of each its counter, the series itself, and its numbers. */
  const readAll = (data, min, max) => {
    const windows = data.axes.map((axis) => (axis.elapsed ? null : rowsIn(axis, min, max)));
    const all = [];
    for (const counter of data.counters) {
      if (!counter.kind) continue;
      for (const index of counter.series) {
        const series = data.series[index];
        const rows = windows[series.grid];
        if (!rows) continue;
        const isOther = isTotal(series.instance) || (counter.kind === 'process' && isIdle(series.instance));
        const axis = data.axes[series.grid];
        const weights = weightsOf(axis, counter);
        all.push({ counter, series, rows, isOther, axis, weights, ...numbersOf(data.values(series), rows, weights) });
      }
    }
    return { all, windows };
  };

  // ---- processes

  /** Returns whether a process began, or ended, in the window: by its memory or handles, else by what it has. */
  const livesOf = (uses) => {
    const own = uses.filter((use) => use && !use.counter.rate);
    const known = (own.length ? own : uses.filter(Boolean)).filter((use) => use.firstRow >= 0);
    if (known.length === 0) return { isNew: false, isGone: false };
    const begin = Math.min(...known.map((use) => use.firstRow));
    const end = Math.max(...known.map((use) => use.lastRow));
    const { rows: { first, last }, axis } = known[0];
    const earliest = own.length ? 0 : 1; // a rate has its first value one sample later
    return {
      isNew: begin > earliest && begin >= first && begin <= last,
      isGone: end < axis.times.length - 1 && end >= first - 1 && end <= last,
    };
  };

  /** Returns processes with the numbers of each use, those that stand out first, and all that began or ended. */
  const processesIn = (data, all) => {
    const processes = new Map();
    const machines = new Map();
    const machineOf = (name) => {
      if (!machines.has(name)) machines.set(name, { inside: LEAST_OF_USE.map(() => 0), rest: LEAST_OF_USE.map(() => 0), processors: 0 });
      return machines.get(name);
    };
    for (const counter of data.counters.filter((each) => each.prefers_total)) {
      const machine = machineOf(counter.machine);
      const totals = counter.series.filter((index) => isTotal(data.series[index].instance)).length;
      machine.processors = Math.max(machine.processors, counter.instances - totals);
    }
    const own = all.filter(({ counter }) => counter.kind === 'process');
    const onlyOthers = own.every((one) => one.isOther);
    for (const one of own) {
      if (one.isOther && !onlyOthers) continue;
      const { machine, object, instance } = one.series;
      const key = [machine, object, instance, one.series.pid].join('\n');
      if (!processes.has(key)) processes.set(key, { machine, uses: [], score: 0, leading: null });
      // A process uses nothing before it begins and after it ends.
      const samples = sumOf(one.weights, one.rows, false) - (one.counter.rate && !one.axis.samples && one.rows.first > 0 ? 1 : 0);
      one.usual = samples > 0 ? (one.restCount * (one.rest || 0)) / samples : NaN;
      const square = samples > 0 ? (one.squares + one.restCount * (one.rest || 0) ** 2) / samples - one.usual ** 2 : 0;
      one.spread = Math.sqrt(Math.max(0, square));
      processes.get(key).uses[one.counter.use] = one;
      if (one.isOther) continue;
      const of = machineOf(machine);
      of.inside[one.counter.use] += one.count ? one.mean : 0;
      of.rest[one.counter.use] += one.usual || 0;
    }
    const list = [...processes.values()];
    for (const process of list) {
      const of = machineOf(process.machine);
      process.uses.forEach((one, use) => {
        one.effect = 0;
        if (one.count === 0) return;
        const ofTime = use === PROCESSOR && of.processors > 0;
        const whole = ofTime ? 100 * of.processors : Math.max(LEAST_OF_USE[use], of.inside[use], of.rest[use]);
        const share = one.mean / (ofTime ? whole : of.inside[use]);
        one.share = Number.isFinite(share) ? share : null;
        const change = one.mean - (one.usual || 0);
        if (Math.abs(change) < 0.25 * (one.usual || 0)) return;
        const distance = (change / Math.max(one.spread, 0.01 * whole)) ** 2;
        one.effect = ((change / whole) * distance) / (1 + distance);
        if (use === WORKING_SET && process.uses[PRIVATE_BYTES]) return;
        const score = one.effect >= 0 ? one.effect : -0.5 * one.effect;
        if (score > process.score) Object.assign(process, { score, leading: one });
      });
      Object.assign(process, livesOf(process.uses));
    }
    list.sort((a, b) => b.score - a.score);
    const least = Math.max(0.01, 0.1 * (list[0]?.score ?? 0));
    return {
      shown: list.filter((process) => process.score >= least).slice(0, MOST.process),
      started: list.filter((process) => process.isNew), ended: list.filter((process) => process.isGone),
    };
  };

  // ---- disks, interfaces and other counters

  /** Returns how much a series stands out; null if it does not. */
  const rated = (one) => {
    const { counter } = one;
    if (one.count === 0 || !Number.isFinite(one.mean)) return null;
    const rest = one.restCount ? one.rest : 0;
    const spread = Math.max(1.22 * one.quartiles, 0.25 * one.deviation, 0.05 * Math.abs(one.median), counter.least);
    const [fromMedian, fromMean] = [one.mean - one.median, one.mean - rest];
    if (fromMedian < 0 !== fromMean < 0) return null;
    let effect = (Math.abs(fromMedian) < Math.abs(fromMean) ? fromMedian : fromMean) / spread;
    if (one.restCount === 0) effect = Math.min(5, Math.max(-5, effect));
    if (!(Math.abs(effect) >= 2)) return null;
    const factor = counter.weight * (effect < 0 && !counter.headline ? 0.5 : 1);
    return { ...one, usual: one.rest, effect, score: factor * Math.min(Math.abs(effect), 20) };
  };

  /** Returns whether a row repeats another one: its numbers are those of the same object, times a constant. */
  const repeats = (one, list) => list.some((other) => {
    if (other.series.machine !== one.series.machine) return false;
    if (other.series.object !== one.series.object && one.counter.kind !== 'disk') return false;
    const [a, b] = [one.mean * other.rest, one.rest * other.mean];
    return one.restCount !== 0 && a !== 0 && Math.abs(a - b) <= 0.005 * Math.abs(b);
  });

  const countersIn = (all, kind) => {
    const own = all.filter(({ counter }) => counter.kind === kind);
    const [single, total] = [new Set(), new Set()];
    for (const one of own) (one.isOther ? total : single).add(one.counter);
    const found = own.filter((one) => one.isOther === (one.counter.prefers_total ? total : { has: (key) => !single.has(key) }).has(one.counter))
      .map(rated).filter(Boolean).sort((a, b) => b.score - a.score || Math.abs(b.effect) - Math.abs(a.effect));
    const counts = new Map();
    const count = (key) => counts.set(key, (counts.get(key) ?? 0) + 1).get(key);
    const list = [];
    for (const one of found) {
      if (list.length >= MOST[kind]) break;
      if (repeats(one, list)) continue;
      if (count([one.series.machine, one.series.object, one.series.instance].join('\n')) > MOST_OF_INSTANCE) continue;
      if (count(one.counter) > MOST_OF_COUNTER) continue;
      list.push(one);
    }
    return list;
  };

  /** Returns what stands out between two times; null if no sample is there. */
  const find = (data, min, max) => {
    const { all, windows } = readAll(data, min, max);
    const used = windows.map((rows, grid) => ({ rows, axis: data.axes[grid] })).filter(({ rows }) => rows);
    if (used.length === 0) return null;
    const finest = used.reduce((a, b) => (b.axis.times.length > a.axis.times.length ? b : a));
    const samples = weightsOf(finest.axis, {});
    return {
      from: Math.min(...used.map(({ rows, axis }) => axis.times[rows.first])),
      to: Math.max(...used.map(({ rows, axis }) => axis.ends[rows.last])),
      samples: sumOf(samples, finest.rows, true), rest: sumOf(samples, finest.rows, false),
      processes: processesIn(data, all),
      disks: countersIn(all, 'disk'), interfaces: countersIn(all, 'interface'), counters: countersIn(all, 'counter'),
    };
  };

  // ---- text

  let data = null;
  let ranges = null;
  let panel = null;

  const time = (moment) => data.zone.text(moment, data.axes.some((axis) => axis.withMilliseconds));
  const spanText = (from, to) => {
    const [first, last] = [time(from), time(to)];
    return first === last ? first : `${first} – ${first.slice(0, 10) === last.slice(0, 10) ? last.slice(11) : last}`;
  };
  const severalMachines = () => new Set(data.counters.map((counter) => counter.machine)).size > 1;

  const processName = ({ instance, pid }) => {
    const name = hkpdText.name(instance ?? '');
    return pid === undefined ? name : `${name.replace(new RegExp(`:${pid}(:\\d+)?$`), '')} (${pid})`;
  };
  const pathOf = ({ machine, object, instance, counter }) => hkpdText.name(
    `${severalMachines() ? `\\\\${machine}` : ''}\\${object}${instance === undefined ? '' : `(${instance})`}\\${counter}`);

  const timesText = (then, usual) => {
    if (!(usual > 0)) return '';
    const ratio = then / usual;
    return ratio > 9999 ? '> 9999 ×' : `${Number(ratio.toPrecision(3))} ×`;
  };

  // ---- the table

  const HEADS = [['', ''], ['Then', 'number'], ['Rest', 'number'], ['Then/rest', 'number'], ['Of all', 'number share'], ['Highest at', 'highest'], ['', '']];

  const rowOf = (label, one, note) => {
    const { unit, scale = 1 } = one.counter;
    const cell = (textContent, className = 'number', title = '') => element('td', { className, textContent, title });
    const quantity = (value) => cell(Number.isFinite(value) ? hkpdText.short(value * scale, unit) : '–', 'number', hkpdText.exact(value));
    return element('tr', {}, element('th', { scope: 'row' }, element('bdi', { textContent: label.slice(0, 300) })),
      quantity(one.mean), quantity(one.usual), cell(timesText(one.mean, one.usual)),
      cell(Number.isFinite(one.share) ? hkpdText.short(100 * one.share, '%', 3) : '', 'number share'),
      cell(one.maxRow < 0 ? '' : time(one.axis.times[one.maxRow]), 'highest'), cell(note, 'what'));
  };

  const processRows = (process) => {
    const uses = process.uses.filter((one) => one && (one === process.leading || Math.abs(one.effect) >= 0.01));
    uses.sort((a, b) => (b === process.leading) - (a === process.leading) || Math.abs(b.effect) - Math.abs(a.effect));
    const note = [process.isNew ? 'new' : '', process.isGone ? 'gone' : ''].filter(Boolean).join(', ');
    return uses.slice(0, MOST_USES).map((one, i) =>
      rowOf(`${processName(one.series)} ${hkpdText.name(one.series.counter)}`, one, i === 0 ? note : ''));
  };

  const tableOf = (found) => {
    const groups = [
      ['Processes', found.processes.shown.flatMap(processRows)],
      ...[['Disks', found.disks], ['Interfaces', found.interfaces], ['Counters', found.counters]].map(([title, list]) =>
        [title, list.map((one) => rowOf(pathOf(one.series), one, one.restCount ? '' : 'only then'))]),
    ].filter(([, rows]) => rows.length > 0);
    if (groups.length === 0) return element('p', { textContent: 'Nothing stands out: all is as in the rest of the log.' });
    const head = element('tr', {}, ...HEADS.map(([textContent, className]) =>
      element(textContent ? 'th' : 'td', textContent ? { scope: 'col', className, textContent } : {})));
    return element('div', { className: 'scroll', tabIndex: 0, role: 'group', ariaLabel: 'What stands out' },
      element('table', {}, element('thead', {}, head), ...groups.map(([title, rows]) => element('tbody', {},
        element('tr', {}, element('th', { scope: 'rowgroup', colSpan: HEADS.length, className: 'group', textContent: title })), ...rows))));
  };

  const livesText = (title, list) => {
    if (list.length === 0) return [];
    const names = list.slice(0, 5).map((process) => processName(process.uses.find(Boolean).series)).join(', ');
    return [element('p', { className: 'lives' }, `${title}: `, element('bdi', { textContent: names }), list.length > 5 ? ` and ${list.length - 5} more` : '')];
  };

  const commandOf = (found) => {
    if (!data.top_command) return [];
    const command = `${data.top_command} --at ${new Date(found.from).toISOString()}..${new Date(found.to).toISOString()}`;
    const copy = element('button', { type: 'button', textContent: 'Copy' });
    copy.addEventListener('click', () => hkpdCopy(command, copy));
    return [element('div', { className: 'command' },
      element('pre', { tabIndex: 0 }, element('code', { textContent: hkpdText.name(command) })), copy)];
  };

  // ---- the panel

  /** Returns the time that a text states in the zone of the log; NaN if it states none. */
  const timeOf = (text) => {
    const parts = /^\s*(?:(\d{4})-(\d\d)-(\d\d)[ T]+)?(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?\s*$/.exec(text);
    if (!parts) return NaN;
    const first = time(ranges.log.full.min);
    const [year, month, day] = parts[1] ? parts.slice(1, 4) : first.slice(0, 10).split('-');
    const local = (days) => Date.UTC(year, month - 1, Number(day) + days, parts[4], parts[5]) + 1000 * Number(parts[6] ?? 0);
    const utc = (days) => local(days) - data.zone.offset(local(days) - data.zone.offset(local(days)) * 60000) * 60000;
    // A time of day that has passed when the log begins is on the next day.
    return !parts[1] && utc(0) < ranges.log.full.min - 60000 && utc(1) <= ranges.log.full.max ? utc(1) : utc(0);
  };

  const makeForm = (from, to) => {
    const input = (name, value) => element('input', {
      type: 'text', name, value, size: 19, autocomplete: 'off', spellcheck: false, placeholder: 'HH:MM or date and time',
    });
    const inputs = [input('from', from), input('to', to)];
    const wrong = element('span', { className: 'wrong', role: 'alert' });
    const form = element('form', { className: 'from-to' },
      element('label', {}, 'From ', inputs[0]), element('label', {}, 'To ', inputs[1]),
      element('button', { type: 'submit', textContent: 'Show' }), wrong);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const [min, max] = [timeOf(inputs[0].value), inputs[1].value.trim() === '' ? NaN : timeOf(inputs[1].value)];
      const failed = !Number.isFinite(min) || (inputs[1].value.trim() !== '' && !(max >= min));
      wrong.textContent = failed ? 'Expected times such as 15:42 or 2024-05-14 09:30:02, the first one earlier' : '';
      if (failed) return;
      if (Number.isFinite(max)) fill(min, max);
      else fill(min, min % 60000 === 0 ? min + 59999 : min + HALF_MINUTE);
    });
    return form;
  };

  const close = () => {
    if (!panel) return;
    const { box, element: own, back } = panel;
    const held = own.contains(document.activeElement);
    own.remove();
    panel = null;
    if (held) (back ?? box)?.focus();
  };

  /** Shows what stands out between two times in the panel. */
  const fill = (min, max) => {
    const found = find(data, min, max);
    const { body } = panel;
    if (!found) {
      body.replaceChildren(makeForm(time(min), time(max)), element('p', { role: 'status', textContent: 'No sample is there.' }));
      return;
    }
    const text = `${spanText(found.from, found.to)}: ${found.samples} samples, against ${found.rest} in the rest of the log.`;
    body.replaceChildren(makeForm(time(found.from), time(found.to)), element('p', { role: 'status', textContent: text }),
      ...(found.rest === 0 ? [element('p', { textContent: 'This is the whole log: there is nothing to compare it with.' })] : [tableOf(found)]),
      ...livesText('Started then', found.processes.started), ...livesText('Gone then', found.processes.ended), ...commandOf(found));
  };

  /** Opens the panel after an element, or at the beginning of the page. */
  const open = (place, box, back = null) => {
    close();
    const closing = element('button', { type: 'button', className: 'close', textContent: 'Close' });
    closing.addEventListener('click', close);
    const body = element('div');
    const own = element('section', { className: 'happened', ariaLabel: 'What happened here?', tabIndex: -1 },
      closing, element('h3', { textContent: 'What happened here?' }), body);
    panel = { element: own, body, box, back };
    if (place) place.after(own);
    else document.querySelector('main').prepend(own);
  };

  /** Scrolls so far that the panel can be seen, but not the chart out of view. */
  const reveal = (chart) => {
    const below = panel.element.getBoundingClientRect().bottom + 16 - innerHeight;
    const above = chart.figure.getBoundingClientRect().top - document.querySelector('.toolbar').offsetHeight - 8;
    scrollBy(0, Math.max(0, Math.min(below, above)));
  };

  /** Shows what happened in a range of time of a chart. `focus`: the keys go to the panel. */
  const show = (chart, min, max, focus = false) => {
    if (!data || chart.definition.elapsed) return;
    open(chart.figure, chart.box);
    fill(min, max);
    if (focus) panel.element.focus({ preventScroll: true });
    reveal(chart);
  };

  /** Shows what happened at a slot of a chart, given as the position of its time in the plot's data. */
  const showAt = (chart, index, focus) => {
    const moment = chart.plot.data[0][index];
    const line = chart.shown.find(({ series }) => data.axes[series.grid].middles.includes(moment)) ?? chart.shown[0];
    const { times, ends, middles } = data.axes[line.series.grid];
    const row = middles.indexOf(moment);
    show(chart, (row < 0 ? moment : times[row]) - HALF_MINUTE, (row < 0 ? moment : ends[row]) + HALF_MINUTE, focus);
  };

  /** Returns the position of the highest value that is drawn near a place of a plot, in pixels from its left. */
  const highestNear = (chart, left) => {
    const { plot } = chart;
    const [from, to] = [plot.posToVal(left - NEAR, 'x'), plot.posToVal(left + NEAR, 'x')];
    let best = { index: plot.posToIdx(left), value: -Infinity };
    plot.data[0].forEach((moment, index) => {
      if (moment < from || moment > to) return;
      for (const column of plot.data.slice(1)) {
        const value = column[index];
        if (Number.isFinite(value) && value > best.value) best = { index, value };
      }
    });
    return best.index;
  };

  /** Listens to clicks in a chart and to the key Enter. */
  const listen = (chart) => {
    let pressed = 0;
    let pending = 0; // a second click shows the whole log instead
    chart.box.addEventListener('pointerdown', (event) => { pressed = event.clientX; });
    chart.box.addEventListener('click', (event) => {
      const over = event.target.closest('.u-over');
      if (!over || !chart.plot || event.detail > 1 || Math.abs(event.clientX - pressed) >= 4) return;
      const left = event.clientX - over.getBoundingClientRect().left;
      clearTimeout(pending);
      pending = setTimeout(() => { if (chart.plot) showAt(chart, highestNear(chart, left), false); }, DOUBLE_CLICK);
    });
    chart.box.addEventListener('dblclick', () => {
      clearTimeout(pending);
      close();
    });
    chart.box.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !chart.plot || event.target !== chart.box) return;
      event.preventDefault();
      const { left, idx } = chart.plot.cursor;
      if (idx === null || idx === undefined || left < 0) showAt(chart, highestNear(chart, chart.plot.over.clientWidth / 2), true);
      else showAt(chart, idx, true);
    });
  };

  /** Returns the button of the toolbar, which opens the panel for the range that charts show. */
  const makeButton = () => {
    const button = element('button', { type: 'button', className: 'ask', textContent: 'What happened?' });
    button.addEventListener('click', () => {
      open(null, null, button);
      const { log } = ranges;
      if (log.zoomed) fill(log.min, log.max);
      else panel.body.replaceChildren(element('p', { textContent: 'Click a peak of a chart, drag over a part of it, or state the time.' }), makeForm('', ''));
      panel.element.focus();
      panel.element.scrollIntoView({ block: 'start' });
    });
    return button;
  };

  const start = (all, allRanges) => {
    [data, ranges] = [all, allRanges];
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !panel) return;
      event.preventDefault();
      event.stopPropagation();
      close();
    }, true);
  };

  return { start, listen, show, makeButton, find };
})();
