// What uPlot draws for a chart: lines, the band from the smallest to the largest value of each slot, gaps, limits, and
// marks where a value is missing.
'use strict';

const hkpdPlot = (() => {
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const font = () => `11px ${getComputedStyle(document.body).fontFamily}`;
  const MINUTE = 60000;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;
  const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, ...[1, 2, 5, 10, 15, 30].map((n) => n * 1000),
    ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE), ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
    ...[1, 2, 7, 14, 30, 90, 365, 3650].map((n) => n * DAY)];
  const STEPS_OF_VALUES = 4;

  /** Returns the times of the ticks: round in local time, also when daylight saving begins or ends between them. */
  const timeSplits = (chart) => (plot, axis, min, max, step) => {
    const zone = chart.definition.elapsed ? null : chart.data.zone;
    const offset = (time) => (zone ? zone.offset(time) * MINUTE : 0);
    const result = [];
    for (let local = Math.ceil((min + offset(min)) / step) * step; result.length < 100; local += step) {
      const guess = local - offset(local - offset(min));
      if (guess > max) break;
      if (guess >= min && guess > (result[result.length - 1] ?? -Infinity)) result.push(guess);
    }
    return result;
  };

  /** Returns the texts of the ticks: the time, and below it the date where it changes. */
  const timeLabels = (chart) => (plot, splits, axis, space, step) => {
    if (chart.definition.elapsed) return splits.map((time) => hkpdText.elapsed(time, step < 1000));
    let before = '';
    return splits.map((time) => {
      const text = chart.data.zone.text(time, step < 1000);
      const date = text.slice(0, 10);
      const clock = step >= DAY ? '' : step >= MINUTE ? text.slice(11, 16) : text.slice(11);
      const label = !clock ? date : date === before ? clock : `${clock}\n${date}`;
      before = date;
      return label;
    });
  };

  /** Returns the range of the value axis, with the limits that are not far above the values. */
  const valueRange = (chart) => (plot, dataMin, dataMax) => {
    if (dataMin === null || dataMin === undefined) return [0, 1];
    const limits = chart.limits.map((limit) => limit.value).filter((value) => value > dataMax && value <= 2.5 * dataMax);
    const fromZero = chart.stacked || limits.length > 0;
    const [min, max] = [dataMin * chart.scale, Math.max(dataMax, ...limits) * chart.scale];
    return hkpdAxis.range({ min, max, unit: chart.unit, fromZero }, STEPS_OF_VALUES).map((value) => value / chart.scale);
  };

  const valueTicks = (chart, low, high) => hkpdAxis.ticks(low * chart.scale, high * chart.scale, chart.unit, STEPS_OF_VALUES);
  const valueSplits = (chart) => (plot, axis, low, high) => valueTicks(chart, low, high).map(({ value }) => value / chart.scale);
  const valueLabels = (chart) => (plot, splits) => {
    const { min, max } = plot.scales.y;
    return valueTicks(chart, min, max).slice(0, splits.length).map(({ text }) => text);
  };

  // ---- data

  /** Returns the times of all grids of a chart, and for each grid the position of its entries in them. */
  const joinGrids = (chart) => {
    const grids = [...new Set(chart.shown.map((line) => line.series.grid))];
    const own = new Map(grids.map((grid) => [grid, chart.data.axes[grid].middles]));
    if (grids.length === 1) return { times: own.get(grids[0]), spread: (grid, values) => values };
    const times = [...new Set([...own.values()].flat())].sort((a, b) => a - b);
    const position = new Map(times.map((time, index) => [time, index]));
    return {
      times,
      // An undefined entry does not interrupt a line, a null one does.
      spread: (grid, values) => {
        const result = new Array(times.length).fill(undefined);
        own.get(grid).forEach((time, index) => { result[position.get(time)] = values[index]; });
        return result;
      },
    };
  };

  const drawable = (values) => values.map((value) => (Number.isFinite(value) ? value : null));

  /** Returns the columns of lines that lie on top of each other; a missing value adds nothing. */
  const stackedColumns = (chart, joined) => {
    let below = null;
    return chart.shown.map((line) => {
      const own = joined.spread(line.series.grid, drawable(line.values.mean));
      below = own.map((value, i) => {
        const under = below ? below[i] : null;
        return value === null || value === undefined ? under : value + (under || 0);
      });
      return below;
    });
  };

  // ---- layers that are drawn over and under the lines

  const clipped = (plot, draw) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    draw(ctx, bbox, devicePixelRatio || 1);
    ctx.restore();
  };

  const drawGaps = (chart) => (plot) => clipped(plot, (ctx, bbox, ratio) => {
    if (chart.definition.elapsed) return;
    ctx.fillStyle = style('--gap');
    for (const [from, to] of chart.gaps) {
      const left = plot.valToPos(from, 'x', true);
      ctx.fillRect(left, bbox.top, Math.max(ratio, plot.valToPos(to, 'x', true) - left), bbox.height);
    }
  });

  const AROUND = 5; // slots

  /** Returns whether a slot's values reach well above or below those of all slots around it. */
  const isPeak = (values, i, size) => {
    let [highest, lowest] = [-Infinity, Infinity];
    for (let other = Math.max(0, i - AROUND); other <= i + AROUND && other < values.max.length; ++other) {
      if (other === i || values.max[other] === null) continue;
      highest = Math.max(highest, values.max[other]);
      lowest = Math.min(lowest, values.min[other]);
    }
    return values.max[i] - highest > size || lowest - values.min[i] > size;
  };

  /** Draws for each slot a bar from its smallest to its largest value, at least a pixel wide: no peak is lost, and one
   *  that stands out from its surroundings has the full colour. */
  const drawBand = (plot, ctx, ratio, axis, values) => {
    const { x, y } = plot.scales;
    const band = new Path2D();
    const peaks = new Path2D();
    for (let i = 0; i < axis.times.length; ++i) {
      const time = axis.times[i];
      if (values.max[i] === null || values.max[i] === values.min[i] || axis.until[i] < x.min || time > x.max) continue;
      const left = plot.valToPos(time, 'x', true);
      const width = Math.max(ratio, plot.valToPos(axis.until[i], 'x', true) - left);
      const top = plot.valToPos(values.max[i], 'y', true);
      const height = Math.max(ratio, plot.valToPos(values.min[i], 'y', true) - top);
      band.rect(left, top, width, height);
      // At whole pixels, where a narrow bar is sharp.
      if (isPeak(values, i, (y.max - y.min) / 6)) peaks.rect(Math.round(left), top, Math.max(Math.round(1.5 * ratio), Math.min(width, 3 * ratio)), height);
    }
    ctx.fill(band);
    ctx.globalAlpha = 1;
    ctx.fill(peaks);
  };
  const drawBands = (chart) => (plot) => clipped(plot, (ctx, bbox, ratio) => {
    if (chart.stacked) return;
    const reduced = chart.shown.filter((line) => line.values.reduced);
    for (const line of reduced.reverse()) {
      ctx.globalAlpha = reduced.length > 2 ? 0.28 : 0.4;
      ctx.fillStyle = style(line.color);
      drawBand(plot, ctx, ratio, chart.data.axes[line.series.grid], line.values);
    }
  });

  const drawLimits = (chart) => (plot) => clipped(plot, (ctx, bbox, ratio) => {
    ctx.lineWidth = ratio;
    for (const limit of chart.limits) {
      const y = Math.round(plot.valToPos(limit.value, 'y', true)) + 0.5;
      if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
      ctx.strokeStyle = style(limit.severity === 'critical' ? '--critical' : '--warning');
      ctx.setLineDash([6 * ratio, 4 * ratio]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
  });
  /** Draws a mark on the time axis wherever a value is missing for a reason. */
  const drawMarks = (chart) => (plot) => clipped(plot, (ctx, bbox, ratio) => {
    const places = new Set();
    for (const line of chart.shown) {
      const { middles } = chart.data.axes[line.series.grid];
      line.values.reason.forEach((reason, i) => {
        if (reason) places.add(Math.round(plot.valToPos(middles[i], 'x', true)));
      });
    }
    ctx.fillStyle = style('--mark');
    for (const x of places) ctx.fillRect(x - ratio, bbox.top + bbox.height - 6 * ratio, 2 * ratio, 6 * ratio);
  });

  // ---- options of uPlot

  /** Returns the pixels of gaps, in which no line is drawn. */
  const gapPixels = (chart) => (plot, series, first, last, gaps) => {
    if (chart.definition.elapsed) return gaps;
    const own = chart.gaps.map(([from, to]) => [plot.valToPos(from, 'x', true), plot.valToPos(to, 'x', true)])
      .filter(([from, to]) => to > plot.bbox.left && from < plot.bbox.left + plot.bbox.width);
    return [...gaps, ...own].sort((a, b) => a[0] - b[0]);
  };

  /** Returns the values that no line reaches, because there is none before and after them. */
  const alone = (chart) => (plot, series, show) => {
    if (show) return null;
    const [times, values] = [plot.data[0], plot.data[series]];
    const gap = (i) => !chart.definition.elapsed && chart.gaps.some(([from, to]) => times[i] <= from && to <= times[i + 1]);
    const none = (i, step) => {
      let at = i + step;
      while (values[at] === undefined && at >= 0 && at < values.length) at += step;
      return values[at] === null || values[at] === undefined;
    };
    const result = [];
    for (let i = 0; i < values.length; ++i) {
      if (values[i] === null || values[i] === undefined) continue;
      if ((none(i, -1) || gap(i - 1)) && (none(i, 1) || gap(i))) result.push(i);
    }
    return result.length ? result : null;
  };

  const lineOptions = (chart, line) => ({
    stroke: () => style(line.color),
    width: chart.stacked ? 1 : 1.5,
    dash: line.dash,
    gaps: gapPixels(chart),
    points: {
      size: 5,
      fill: () => style(line.color),
      show: (plot, series, first, last) => last - first <= 60,
      filter: alone(chart),
    },
  });
  // Only for the range of the value axis.
  const HIDDEN = { paths: () => null, points: { show: false } };

  const columns = (chart) => {
    const joined = joinGrids(chart);
    const data = [joined.times];
    const series = [{}];
    const bands = [];
    if (chart.stacked) {
      stackedColumns(chart, joined).forEach((column, position) => {
        const line = chart.shown[position];
        const fill = () => `${style(line.color)}8c`;
        data.push(column);
        series.push({ ...lineOptions(chart, line), ...(position === 0 ? { fill } : {}) });
        if (position > 0) bands.push({ series: [position + 1, position], fill });
      });
      return { data, series, bands };
    }
    // The first of the legend is drawn last, over the others.
    for (const line of [...chart.shown].reverse()) {
      data.push(joined.spread(line.series.grid, drawable(line.values.mean)));
      series.push(lineOptions(chart, line));
      if (!line.values.reduced) continue;
      for (const key of ['min', 'max']) {
        data.push(joined.spread(line.series.grid, drawable(line.values[key])));
        series.push(HIDDEN);
      }
    }
    return { data, series, bands };
  };

  // The same width for all charts, unless a label needs more.
  const labelWidth = (least) => (plot, labels) => Math.max(least, ...(labels ?? []).map((label) => 16 + 6.6 * label.length));

  const axes = (chart, width) => {
    const common = {
      font: font(), stroke: () => style('--muted'), gap: 4,
      grid: { stroke: () => style('--grid'), width: 1 }, ticks: { stroke: () => style('--grid'), width: 1, size: 4 },
    };
    return [
      { ...common, size: 40, lineGap: 1.3, incrs: STEPS, space: 76, splits: timeSplits(chart), values: timeLabels(chart) },
      { ...common, size: labelWidth(width < 500 ? 56 : 66), space: 1, splits: valueSplits(chart), values: valueLabels(chart) },
    ];
  };

  /** Returns a uPlot for a chart whose lines have their values. */
  return (chart, width) => {
    const { data, series, bands } = columns(chart);
    const selected = (plot) => {
      const { left, width: size } = plot.select;
      if (size < 4) return;
      const [min, max] = [plot.posToVal(left, 'x'), plot.posToVal(left + size, 'x')];
      plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      chart.range.set(min, max);
      hkpdHappened.show(chart, min, max);
    };
    const moved = (plot) => {
      const { idx, left } = plot.cursor;
      if (idx === null || idx === undefined || left < 0) chart.showWhole();
      else chart.showAt(plot.data[0][idx]);
    };
    return new uPlot({
      width, height: HkpdChart.HEIGHT, ms: 1, padding: [8, 18, 0, 0],
      legend: { show: false }, series, bands, axes: axes(chart, width),
      scales: { x: { time: false, range: () => [chart.range.min, chart.range.max] }, y: { range: valueRange(chart) } },
      cursor: {
        y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 },
        bind: { dblclick: () => () => { chart.range.reset(); return null; } },
      },
      hooks: {
        drawClear: [drawGaps(chart)], drawAxes: [drawBands(chart)], draw: [drawLimits(chart), drawMarks(chart)],
        setSelect: [selected], setCursor: [moved],
      },
    }, data, chart.box);
  };
})();
