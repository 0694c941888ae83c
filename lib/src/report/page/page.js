// The page: draws charts when they come near, fills the section of all counters, and holds the range that all charts show.
'use strict';

(() => {
  const element = hkpdElement;
  const root = document.documentElement;
  const main = document.querySelector('main');
  let data;
  let ranges;

  // ---- charts

  const charts = new Map(); // figure → chart
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const chart = charts.get(target);
      if (!chart) continue;
      if (isIntersecting) chart.draw();
      else chart.drop();
    }
  }, { rootMargin: '60% 0px' });

  const addChart = (figure, definition) => {
    const chart = new HkpdChart(figure, definition, data, ranges);
    charts.set(figure, chart);
    observer.observe(figure);
    return chart;
  };
  /** Removes the charts in an element that is about to be removed. */
  const removeCharts = (parent) => {
    for (const figure of parent.querySelectorAll('figure.chart')) {
      observer.unobserve(figure);
      charts.get(figure)?.drop();
      charts.delete(figure);
    }
  };

  const addStaticCharts = () => {
    for (const figure of main.querySelectorAll('figure.chart[data-chart]')) {
      const definition = data.charts[Number(figure.dataset.chart)];
      if (definition && definition.series.length > 0) addChart(figure, definition);
    }
  };

  // ---- the range of time

  const makeRanges = () => {
    const range = (axes) => (axes.length === 0 ? new HkpdRange(0, 1)
      : new HkpdRange(Math.min(...axes.map(({ times }) => times[0])), Math.max(...axes.map(({ ends }) => ends[ends.length - 1]))));
    const own = (elapsed) => data.axes.filter((axis) => axis.elapsed === elapsed && axis.times.length > 0);
    return { log: range(own(false)), elapsed: range(own(true)) };
  };

  const makeToolbar = () => {
    const list = element('ul');
    for (const section of main.querySelectorAll(':scope > section[id]')) {
      const heading = section.querySelector('h2');
      if (!heading) continue;
      list.append(element('li', {}, element('a', { href: `#${section.id}`, textContent: heading.textContent })));
    }
    const shown = element('span', { className: 'range', role: 'status' });
    const reset = element('button', { type: 'button', className: 'reset', textContent: 'Show all', disabled: true });
    reset.addEventListener('click', () => { ranges.log.reset(); ranges.elapsed.reset(); });
    const update = () => {
      const { log, elapsed } = ranges;
      const range = elapsed.zoomed ? elapsed : log;
      const text = range === elapsed ? hkpdText.elapsed : (time) => data.zone.text(time, range.max - range.min < 5000);
      const [from, to] = [text(range.min), text(range.max)];
      // The same day is not repeated.
      const end = range === log && from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to;
      shown.textContent = `${from} – ${end} (${hkpdText.duration(range.max - range.min)})`;
      reset.disabled = !log.zoomed && !elapsed.zoomed;
    };
    ranges.log.listeners.add(update);
    ranges.elapsed.listeners.add(update);
    update();
    main.before(element('nav', { className: 'toolbar', ariaLabel: 'Sections and time range' }, list,
      element('div', { className: 'zoom' }, shown, hkpdHappened.makeButton(), reset)));
  };

  // ---- all counters

  /** Returns counters and constant counters by machine and object, in their order. */
  const byObject = () => {
    const objects = new Map();
    const machines = new Set(data.counters.map((counter) => counter.machine));
    for (const counter of data.counters) {
      const key = JSON.stringify([counter.machine, counter.object]);
      if (!objects.has(key)) {
        const title = hkpdText.name(counter.object) + (machines.size > 1 ? ` on ${hkpdText.name(counter.machine)}` : '');
        objects.set(key, { title, counters: [] });
      }
      objects.get(key).counters.push(counter);
    }
    return [...objects.values()];
  };

  /** Returns whether all words are in the names of a series. */
  const matcher = (words) => {
    const texts = new Map();
    const text = (series) => {
      if (!texts.has(series)) {
        texts.set(series, [series.machine, series.object, series.instance ?? '', series.counter].join('\n').toLowerCase());
      }
      return texts.get(series);
    };
    return (index) => words.every((word) => text(data.series[index]).includes(word));
  };

  const statistics = (unit, scale, series) => {
    const table = element('table', { className: 'statistics' });
    const titles = ['min', 'mean', 'median', 'p95', 'max', 'last'];
    const keys = ['min', 'mean', 'p50', 'p95', 'max', 'last'];
    const head = element('tr', {}, element('th', { scope: 'col', textContent: 'Instance' }));
    for (const title of titles) head.append(element('th', { scope: 'col', className: 'number', textContent: title }));
    head.append(element('th', { scope: 'col', textContent: 'Highest at' }));
    const body = element('tbody');
    for (const one of series.map((index) => data.series[index])) {
      const pid = one.pid === undefined || new RegExp(`:${one.pid}(?!\\d)`).test(one.instance) ? '' : ` (pid ${one.pid})`;
      const row = element('tr', {}, element('th', { scope: 'row' },
        element('bdi', { className: 'full', textContent: hkpdText.name(one.instance ?? '–') + pid })));
      for (const key of keys) {
        const value = one[key];
        row.append(element('td', { className: 'number' }, value === null || value === undefined ? '–'
          : element('data', { value: hkpdText.exact(value), title: hkpdText.exact(value) }, hkpdText.short(value * scale, unit))));
      }
      row.append(element('td', { textContent: typeof one.max_at === 'number' ? data.zone.text(one.max_at) : '' }));
      body.append(row);
    }
    table.append(element('thead', {}, head), body);
    return element('details', { className: 'instances' }, element('summary', {}, `${series.length} instances`),
      element('div', { className: 'scroll', tabIndex: 0, role: 'group', ariaLabel: 'Statistics of the instances' }, table));
  };

  const counterFigure = (counter, series) => {
    const figure = element('figure', { className: 'chart' });
    const title = element('bdi', { className: 'title', textContent: hkpdText.name(counter.counter) });
    const caption = element('figcaption', {}, title);
    const { unit, scale = 1 } = counter;
    if (unit && unit !== 'id') caption.append(' ', element('span', { className: 'unit', textContent: unit }));
    if (counter.help) caption.append(element('p', { className: 'help', textContent: hkpdText.name(counter.help) }));
    figure.append(caption);
    addChart(figure, { title: counter.counter, kind: 'lines', unit, scale, series, command: counter.command });
    if (series.length > 1) figure.append(statistics(unit, scale, series));
    return figure;
  };

  /** An object's `details`, whose charts are made when it is opened. */
  class ObjectGroup {
    constructor({ title, counters }) {
      this.counters = counters;
      this.count = element('span', { className: 'count' });
      this.body = element('div', { className: 'charts' });
      this.details = element('details', { className: 'object' },
        element('summary', {}, element('bdi', { className: 'name', textContent: title }), ' ', this.count), this.body);
      this.details.addEventListener('toggle', () => this.fill());
    }

    /** Keeps the counters of which a series matches; returns how many counters and series these are. */
    filter(matches) {
      this.kept = this.counters.map((counter) => [counter, counter.series.filter(matches)]).filter(([, series]) => series.length > 0);
      const series = this.kept.reduce((sum, [, own]) => sum + own.length, 0);
      this.count.textContent = `${this.kept.length} ${this.kept.length === 1 ? 'counter' : 'counters'}, ${series} series`;
      this.details.hidden = this.kept.length === 0;
      this.stale = true;
      return [this.kept.length, series];
    }

    fill() {
      if (!this.details.open || !this.stale) return;
      removeCharts(this.body);
      this.body.replaceChildren(...this.kept.map(([counter, series]) => counterFigure(counter, series)));
      this.stale = false;
    }
  }

  const constantTable = () => {
    const body = element('tbody');
    for (const { object, counter, instances, min, max } of data.constant) {
      const value = min === max ? hkpdText.exact(min) : `${hkpdText.exact(min)} to ${hkpdText.exact(max)}`;
      body.append(element('tr', {},
        element('th', { scope: 'row' }, element('bdi', { className: 'full', textContent: hkpdText.name(object) })),
        element('td', {}, element('bdi', { className: 'full', textContent: hkpdText.name(counter) })),
        element('td', { className: 'number', textContent: String(instances) }),
        element('td', { className: 'number', textContent: value || '–' })));
    }
    const head = element('tr', {}, ...['Object', 'Counter', 'Instances', 'Value'].map((textContent, i) => element('th', {
      scope: 'col', className: i < 2 ? '' : 'number', textContent,
    })));
    return element('details', { className: 'object constant' },
      element('summary', {}, 'Counters that did not change ', element('span', { className: 'count', textContent: String(data.constant.length) })),
      element('div', { className: 'scroll', tabIndex: 0, role: 'group', ariaLabel: 'Counters that did not change' },
        element('table', {}, element('thead', {}, head), body)));
  };

  const OPENED_BY_FILTER = 12; // counters

  const fillCounters = () => {
    const section = document.getElementById('counters');
    if (!section) return;
    const groups = byObject().map((object) => new ObjectGroup(object));
    const all = groups.map((group) => group.filter(() => true));
    const sum = (counts, position) => counts.reduce((total, count) => total + count[position], 0);
    const input = element('input', { type: 'search', id: 'filter', autocomplete: 'off', spellcheck: false, placeholder: 'Words of machine, object, instance, counter' });
    const result = element('p', { className: 'result', role: 'status' });
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const matches = matcher(words);
      const kept = groups.map((group) => group.filter(matches));
      const count = sum(kept, 0);
      result.textContent = `${count} of ${sum(all, 0)} counters, ${sum(kept, 1)} of ${sum(all, 1)} series`;
      groups.forEach((group) => {
        if (words.length > 0 && count <= OPENED_BY_FILTER && group.kept.length > 0) group.details.open = true;
        group.fill();
      });
    };
    let pending = 0;
    input.addEventListener('input', () => {
      cancelAnimationFrame(pending);
      pending = requestAnimationFrame(apply);
    });
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea')) return;
      event.preventDefault();
      input.focus();
    });
    section.append(element('div', { className: 'filter' }, element('label', { htmlFor: 'filter', textContent: 'Filter' }), input,
      element('kbd', { textContent: '/', title: 'Press / to filter' }), result), ...groups.map((group) => group.details));
    if (data.constant.length > 0) section.append(constantTable());
    apply();
  };

  // ---- print and theme

  const PRINT_WIDTH = 640; // pixels of a figure on a page of A4 or Letter

  // Paper has the pictures that came with the page, of the whole log. If a part of the time is shown, and for charts without
  // a picture, it has the drawings.
  const preparePrint = () => {
    let opened = [];
    let theme;
    addEventListener('beforeprint', () => {
      theme = root.dataset.theme;
      root.dataset.theme = 'light';
      const zoomed = ranges.log.zoomed || ranges.elapsed.zoomed;
      root.classList.toggle('zoomed', zoomed);
      opened = [...main.querySelectorAll('section:not(#counters) details:not([open])')];
      for (const details of opened) details.open = true;
      for (const [figure, chart] of charts) {
        if (figure.checkVisibility() && (zoomed || !figure.querySelector('.static'))) chart.draw(PRINT_WIDTH);
      }
    });
    addEventListener('afterprint', () => {
      root.dataset.theme = theme ?? 'auto';
      root.classList.remove('zoomed');
      for (const details of opened) details.open = false;
      for (const chart of charts.values()) chart.fit();
    });
  };

  const followTheme = () => {
    const redraw = () => { for (const chart of charts.values()) chart.redraw(); };
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    new MutationObserver(redraw).observe(root, { attributes: true, attributeFilter: ['data-theme'] });
  };

  const start = async () => {
    data = await HkpdData.load();
    ranges = makeRanges();
    hkpdHappened.start(data, ranges);
    main.append(element('p', { id: 'chart-keys', hidden: true },
      'Left and right arrow: move through the samples. Plus and minus: zoom. Enter: what happened here. Escape: show all.'));
    makeToolbar();
    addStaticCharts();
    fillCounters();
    preparePrint();
    followTheme();
    root.dataset.ready = 'yes';
  };
  start().catch((error) => {
    main.prepend(element('p', { className: 'failed', role: 'alert' },
      `The charts cannot be shown: ${error.message}. This page needs a browser of 2023 or later.`));
    root.dataset.ready = 'failed';
  });
})();
