// One chart: a uPlot in a figure, with its legend that shows the values under the cursor, its table and its command.
'use strict';

/** Returns a new element. Children are nodes or text; names of the input become text and nothing else. */
const hkpdElement = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};

/** The range of time that all charts show. */
class HkpdRange {
  constructor(min, max) {
    // A single sample has no length: show the second around it.
    this.full = min < max ? { min, max } : { min: min - 500, max: min + 500 };
    this.listeners = new Set();
    Object.assign(this, this.full);
  }

  get zoomed() { return this.min !== this.full.min || this.max !== this.full.max; }

  set(min, max) {
    const full = this.full;
    const size = Math.min(Math.max(max - min, 10), full.max - full.min);
    this.min = Math.min(Math.max(min, full.min), full.max - size);
    this.max = this.min + size;
    for (const listener of [...this.listeners]) listener();
  }

  reset() { this.set(this.full.min, this.full.max); }

  /** Zooms around a time: a factor below 1 shows less. */
  zoom(around, factor) { this.set(around - (around - this.min) * factor, around + (this.max - around) * factor); }
}

/** Copies text; where the browser does not allow it, shows the text selected. */
const hkpdCopy = async (text, button) => {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    const area = hkpdElement('textarea', { className: 'copy', value: text, readOnly: true, ariaLabel: 'Text to copy' });
    button.after(area);
    area.select();
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Selected: press Ctrl+C';
    area.addEventListener('blur', () => area.remove());
  }
  setTimeout(() => { button.textContent = label; }, 2000);
};

class HkpdChart {
  static HEIGHT = 200;
  static SHOWN = 8; // colours that can be distinguished
  static SOLID = 4; // the colours after these are dashed too
  static CELLS = 12000; // of a table, at once

  /** @param ranges {log, elapsed}: the ranges of time shared by charts */
  constructor(figure, definition, data, ranges) {
    Object.assign(this, { figure, definition, data });
    this.unit = definition.unit;
    this.scale = definition.scale ?? 1; // of the unit, that one of a value is
    this.stacked = definition.kind === 'stack';
    this.range = definition.elapsed ? ranges.elapsed : ranges.log;
    this.lines = HkpdChart.lines(definition, data);
    this.limits = definition.limits || [];
    this.gaps = HkpdChart.gaps(this.shown, data);
    this.withMilliseconds = this.lines.some((line) => data.axes[line.series.grid].withMilliseconds);
    this.plot = null;
    this.build();
  }

  /** Returns what the chart shows: each series with its label, colour and dash. */
  static lines(definition, data) {
    const all = definition.series.map((index) => ({ index, series: data.series[index] }));
    const keys = ['machine', 'object', 'instance', 'counter'];
    const varying = keys.filter((key) => all.some((line) => line.series[key] !== all[0].series[key]));
    const seen = new Map();
    const groups = new Map();
    for (const line of all) {
      const own = varying.length > 0 ? varying : ['instance' in line.series ? 'instance' : 'counter'];
      line.own = own.map((key) => line.series[key]).filter((text) => text !== undefined).map(hkpdText.name).join(' · ');
      const key = `${line.own}\n${line.series.run || 0}`;
      seen.set(key, (seen.get(key) || 0) + 1);
      // Series of the same name are distinguished by their order.
      if (seen.get(key) > 1) line.own += ` (${seen.get(key)})`;
      line.label = definition.elapsed ? `${line.own}, ${line.series.run ? 'after' : 'before'}` : line.own;
      if (!groups.has(line.own)) groups.set(line.own, []);
      groups.get(line.own).push(line);
    }
    // Both runs of an instance have one colour.
    const mean = (group) => Math.max(...group.map((line) => line.series.mean ?? -Infinity));
    let order = [...groups.values()];
    if (order.length > HkpdChart.SHOWN) order.sort((a, b) => mean(b) - mean(a));
    order.slice(0, HkpdChart.SHOWN).forEach((group, position) => {
      for (const line of group) {
        line.shown = true;
        line.color = `--series-${position + 1}`;
        line.dash = definition.elapsed ? (line.series.run ? [] : [5, 4]) : position < HkpdChart.SOLID ? [] : [7, 3];
      }
    });
    return order.flat();
  }

  /** Returns the gaps in which no line has a sample: other machines may have some. */
  static gaps(lines, data) {
    const axes = [...new Set(lines.map((line) => line.series.grid))].map((grid) => data.axes[grid]);
    const own = [...new Map(data.gaps.map((gap) => [gap.join(), gap])).values()]; // machines may have the same
    return own.filter(([from, to]) => axes.every(({ times, ends }) =>
      !times.some((time, i) => (time > from && time < to) || (ends[i] > from && ends[i] < to))));
  }

  get shown() { return this.lines.filter((line) => line.shown); }

  // ---- text

  time(time) {
    return this.definition.elapsed ? hkpdText.elapsed(time, this.withMilliseconds)
      : this.data.zone.text(time, this.withMilliseconds);
  }

  /** Returns the time of a sample, or of the first and the last one of a slot. */
  span(from, to) {
    const [first, last] = [this.time(from), this.time(to)];
    if (from === to || first === last) return first;
    return `${first} – ${!this.definition.elapsed && first.slice(0, 11) === last.slice(0, 11) ? last.slice(11) : last}`;
  }

  /** Returns a value of the chart's counters in the unit in which people read it. */
  short(value) { return typeof value === 'number' ? hkpdText.short(value * this.scale, this.unit) : ''; }

  /** Returns one sentence for those who do not see the chart. */
  describe() {
    const { definition } = this;
    const count = this.lines.length === 1 ? '' : ` of ${this.lines.length} series`;
    const highest = this.lines.reduce((a, b) => ((b.series.max ?? -Infinity) > (a.series.max ?? -Infinity) ? b : a));
    const { max, max_at: at } = highest.series;
    const peak = max === undefined || max === null ? '' :
      `, highest ${this.short(max)} (${highest.label.slice(0, 80)})` +
      (at === undefined || at === null || definition.elapsed ? '' : ` at ${this.time(at)}`);
    return `${this.stacked ? 'Stacked chart' : 'Line chart'}${count}: ${hkpdText.name(definition.title).slice(0, 200)}, ` +
      `from ${this.time(this.range.full.min)} to ${this.time(this.range.full.max)}${peak}.`;
  }

  // ---- elements

  build() {
    const { figure, definition } = this;
    const button = (text, toggle) => {
      const element = hkpdElement('button', { type: 'button', textContent: text, ariaExpanded: 'false' });
      let opened = null;
      element.addEventListener('click', () => {
        if (opened) opened.remove();
        opened = opened ? null : toggle();
        element.ariaExpanded = String(opened !== null);
        if (opened) figure.append(opened);
      });
      return element;
    };
    this.tools = hkpdElement('div', { className: 'tools' }, button('Table', () => this.table()));
    if (definition.command) this.tools.append(button('Command', () => this.command()));
    this.box = hkpdElement('div', {
      className: 'plot', tabIndex: 0, role: 'application', ariaLabel: this.describe(), 'aria-roledescription': 'chart',
      'aria-describedby': 'chart-keys',
    });
    this.legend = this.makeLegend();
    figure.prepend(this.tools);
    figure.append(this.box, this.legend);
    // The picture is for paper now.
    figure.classList.add('ready');
    this.box.addEventListener('keydown', (event) => this.key(event));
    if (!definition.elapsed) hkpdHappened.listen(this);
    this.box.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    // Only the chart that is used speaks.
    for (const [type, live] of [['focus', 'polite'], ['mouseenter', 'polite'], ['blur', 'off'], ['mouseleave', 'off']]) {
      this.box.addEventListener(type, () => { this.status.ariaLive = live; });
    }
  }

  makeLegend() {
    const cell = (tag, text) => hkpdElement(tag, { className: 'number', textContent: text });
    this.moment = hkpdElement('th', { scope: 'col', className: 'moment' });
    const head = hkpdElement('tr', {}, this.moment);
    for (const title of ['min', 'mean', 'max']) {
      const th = cell('th', title);
      th.scope = 'col';
      head.append(th);
    }
    const body = hkpdElement('tbody');
    for (const line of this.shown) {
      const swatch = hkpdElement('span', { className: line.dash.length ? 'swatch dashed' : 'swatch', ariaHidden: 'true' });
      swatch.style.borderColor = `var(${line.color})`;
      const label = hkpdElement('bdi', { className: 'name', textContent: line.label.slice(0, 300) });
      line.note = hkpdElement('span', { className: 'note' });
      line.cells = { min: cell('td', ''), mean: cell('td', ''), max: cell('td', '') };
      body.append(hkpdElement('tr', {},
        hkpdElement('th', { scope: 'row' }, hkpdElement('span', { className: 'label' }, swatch, label, line.note)),
        line.cells.min, line.cells.mean, line.cells.max));
    }
    const table = hkpdElement('table', { className: 'legend' }, hkpdElement('thead', {}, head), body);
    this.status = hkpdElement('div', { className: 'readout', ariaLive: 'polite', role: 'group', ariaLabel: 'Values' }, table);
    const hidden = this.lines.length - this.shown.length;
    if (hidden > 0) {
      this.status.append(hkpdElement('p', { className: 'more' },
        `${hidden} more series with smaller means: in the table.`));
    }
    if (this.limits.length > 0) this.status.append(this.makeLimits());
    this.showWhole();
    return this.status;
  }

  makeLimits() {
    const list = hkpdElement('ul', { className: 'limits' });
    for (const { label, severity, value } of this.limits) {
      const swatch = hkpdElement('span', { className: `swatch dashed ${severity === 'critical' ? 'critical' : 'warning'}`, ariaHidden: 'true' });
      list.append(hkpdElement('li', {}, swatch,
        hkpdElement('bdi', {}, `${hkpdText.name(label).slice(0, 300)} (${severity}: ${this.short(value)})`)));
    }
    return list;
  }

  // ---- the values under the cursor

  showWhole() {
    const text = this.definition.elapsed ? 'Whole runs' : 'Whole log';
    if (this.moment.textContent === text) return;
    this.moment.textContent = text;
    for (const line of this.shown) {
      line.note.textContent = '';
      for (const key of ['min', 'mean', 'max']) this.setCell(line.cells[key], line.series[key], false);
    }
  }

  setCell(cell, value, inFull) {
    cell.textContent = inFull ? hkpdText.exact(value) : this.short(value);
    cell.title = inFull ? '' : hkpdText.exact(value);
  }

  showAt(time) {
    this.moment.textContent = this.momentAt(time);
    for (const line of this.shown) {
      const row = this.rowAt(line, time);
      // A single sample has no range.
      const keys = line.values.reduced ? ['min', 'mean', 'max'] : ['mean'];
      for (const key of ['min', 'mean', 'max']) {
        this.setCell(line.cells[key], row !== null && keys.includes(key) ? line.values[key][row] : null, true);
      }
      line.note.textContent = row === null ? 'no sample' : HkpdChart.note(line.values, row);
    }
  }

  /** Returns why a value is missing or is not what was measured; empty if it is. */
  static note(values, row) {
    const reason = values.reason[row];
    if (values.mean[row] === null) return reason ? `no value: ${hkpdText.reason(reason)}` : 'no value';
    return reason ? `a value is missing: ${hkpdText.reason(reason)}` : '';
  }

  momentAt(time) {
    for (const line of this.shown) {
      const { times, ends, middles } = this.data.axes[line.series.grid];
      const row = this.rowAt(line, time);
      if (row !== null && middles[row] === time) return this.span(times[row], ends[row]);
    }
    return this.time(time);
  }

  /** Returns the slot of a line that covers a time, or its nearest sample; null outside of its run. */
  rowAt(line, time) {
    const { times, until, reduced, interval } = this.data.axes[line.series.grid];
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    const before = low - 1;
    if (reduced) return before >= 0 && time <= until[before] ? before : null;
    const near = before < 0 || (low < times.length && times[low] - time < time - times[before]) ? low : before;
    return near < times.length && Math.abs(times[near] - time) <= interval ? near : null;
  }

  // ---- keys and wheel

  key(event) {
    if (!this.plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const times = this.plot.data[0];
    const current = this.plot.cursor.idx;
    const [first, last] = [times.findIndex((time) => time >= this.range.min), times.findLastIndex((time) => time <= this.range.max)];
    const middle = () => (current === null || current === undefined ? (this.range.min + this.range.max) / 2 : times[current]);
    const step = event.shiftKey ? 10 : 1;
    const actions = {
      ArrowLeft: () => this.moveTo(Math.max(first, (current ?? last + 1) - step)),
      ArrowRight: () => this.moveTo(Math.min(last, (current ?? first - 1) + step)),
      Home: () => this.moveTo(first),
      End: () => this.moveTo(last),
      '+': () => this.range.zoom(middle(), 0.5),
      '=': () => this.range.zoom(middle(), 0.5),
      '-': () => this.range.zoom(middle(), 2),
      Escape: () => this.range.reset(),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  moveTo(index) {
    const { plot } = this;
    plot.setCursor({ left: plot.valToPos(plot.data[0][index], 'x'), top: plot.over.clientHeight / 2 });
  }

  wheel(event) {
    if (!event.ctrlKey || !this.plot) return;
    event.preventDefault();
    const left = event.clientX - this.plot.over.getBoundingClientRect().left;
    this.range.zoom(this.plot.posToVal(left, 'x'), event.deltaY < 0 ? 0.8 : 1.25);
  }

  // ---- drawing

  /** Draws the chart; `width` in pixels is that of its place if not given. */
  draw(width = 0) {
    if (this.plot) {
      if (width) this.plot.setSize({ width, height: HkpdChart.HEIGHT });
      return;
    }
    try {
      for (const line of this.shown) line.values = this.data.values(line.series);
      this.plot = hkpdPlot(this, width || this.box.clientWidth || 600);
    } catch (error) {
      this.box.textContent = `This chart cannot be drawn: ${error.message}.`;
      return;
    }
    this.follow = () => this.plot.setScale('x', { min: this.range.min, max: this.range.max });
    this.range.listeners.add(this.follow);
    this.resizes = new ResizeObserver(() => this.fit());
    this.resizes.observe(this.box);
  }

  fit() {
    const width = this.box.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HkpdChart.HEIGHT });
  }

  /** Frees the memory of the drawing; the figure keeps its size. */
  drop() {
    if (!this.plot || this.box.contains(document.activeElement)) return;
    this.resizes.disconnect();
    this.range.listeners.delete(this.follow);
    this.plot.destroy();
    this.plot = null;
    for (const line of this.shown) line.values = null;
    this.showWhole();
  }

  redraw() { if (this.plot) this.plot.redraw(); }

  // ---- table and command

  command() {
    // What is shown has no invisible characters; what is copied is the command itself.
    const code = hkpdElement('code', { textContent: hkpdText.name(this.definition.command) });
    const copy = hkpdElement('button', { type: 'button', textContent: 'Copy' });
    copy.addEventListener('click', () => hkpdCopy(this.definition.command, copy));
    return hkpdElement('div', { className: 'command' }, hkpdElement('pre', { tabIndex: 0 }, code), copy);
  }

  /** Returns the slots and values of all series, also of those that are not drawn. */
  rows() {
    const lines = this.lines.map((line) => ({ ...line, values: this.data.values(line.series) }));
    const slots = new Map(); // by time: the time of the last sample, the row in each grid
    for (const grid of new Set(lines.map((line) => line.series.grid))) {
      const { times, ends } = this.data.axes[grid];
      times.forEach((time, row) => {
        if (!slots.has(time)) slots.set(time, { from: time, to: ends[row], row: new Map() });
        slots.get(time).row.set(grid, row);
      });
    }
    return { lines, slots: [...slots.values()].sort((a, b) => a.from - b.from) };
  }

  table() {
    const { lines, slots } = this.rows();
    const reduced = lines.some((line) => line.values.reduced);
    const keys = reduced ? ['min', 'mean', 'max'] : ['mean'];
    const zones = new Set(slots.length === 0 ? [this.data.zone.name] : [slots[0], slots.at(-1)].map(({ from }) => this.data.zone.label(from)));
    const zone = hkpdText.name([...zones].join(', '));
    const head = hkpdElement('tr', {},
      hkpdElement('th', { scope: 'col', textContent: this.definition.elapsed ? 'Elapsed' : `Time (${zone})` }));
    for (const line of lines) {
      for (const key of keys) {
        const text = reduced ? `${key} of ${line.label}` : line.label;
        head.append(hkpdElement('th', { scope: 'col', className: 'number' }, hkpdElement('bdi', { textContent: text })));
      }
    }
    const body = hkpdElement('tbody');
    const more = hkpdElement('button', { type: 'button' });
    let next = 0;
    const add = () => {
      const end = Math.min(slots.length, next + Math.max(20, Math.floor(HkpdChart.CELLS / (lines.length * keys.length))));
      for (; next < end; ++next) body.append(this.tableRow(slots[next], lines, keys));
      more.textContent = `Show more rows (${slots.length - next} of ${slots.length})`;
      more.hidden = next === slots.length;
    };
    add();
    more.addEventListener('click', add);
    const copy = hkpdElement('button', { type: 'button', textContent: 'Copy as TSV' });
    copy.addEventListener('click', () => hkpdCopy(this.tsv(lines, slots, keys), copy));
    const title = `Values of ${hkpdText.name(this.definition.title).slice(0, 200)}`;
    const table = hkpdElement('table', {}, hkpdElement('caption', { textContent: title }),
      hkpdElement('thead', {}, head), body);
    return hkpdElement('div', { className: 'values' }, hkpdElement('p', {}, copy, more),
      hkpdElement('div', { className: 'scroll', tabIndex: 0, role: 'group', ariaLabel: title }, table));
  }

  tableRow(slot, lines, keys) {
    const tr = hkpdElement('tr', {}, hkpdElement('th', { scope: 'row', textContent: this.span(slot.from, slot.to) }));
    for (const line of lines) {
      const at = slot.row.get(line.series.grid);
      const note = at === undefined ? '' : HkpdChart.note(line.values, at);
      for (const key of keys) {
        const value = at === undefined ? null : line.values[key][at];
        const cell = hkpdElement('td', { className: 'number', textContent: hkpdText.exact(value) });
        if (note && key === 'mean') {
          if (value === null) cell.textContent = '–';
          cell.append(' ', hkpdElement('span', { className: 'note', textContent: note }));
        }
        tr.append(cell);
      }
    }
    return tr;
  }

  /** Returns the table as tab-separated values. No field begins with a name, so that no spreadsheet takes it for a formula. */
  tsv(lines, slots, keys) {
    const head = this.definition.elapsed ? ['elapsed', 'to'] : ['time', 'to'];
    for (const line of lines) for (const key of keys) head.push(`${keys.length > 1 ? key : 'value'} of ${line.label}`);
    const text = slots.map((slot) => [this.time(slot.from), this.time(slot.to), ...lines.flatMap((line) => {
      const at = slot.row.get(line.series.grid);
      return keys.map((key) => (at === undefined ? '' : hkpdText.exact(line.values[key][at])));
    })].join('\t'));
    return [head.join('\t'), ...text, ''].join('\n');
  }
}
