// The page's data: unpacks what the report wrote, and turns numbers, times and names into text.
// Times are milliseconds since 1970 (UTC), or since the start of a run in charts of elapsed time.
'use strict';

const hkpdText = (() => {
  // Characters without a shape of their own are printed as the command prints them: \x1B, \u202E.
  const INVISIBLE =
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;
  const escapeOne = (character) => {
    const code = character.codePointAt(0);
    const digits = code.toString(16).toUpperCase();
    return code < 0x100 ? '\\x' + digits.padStart(2, '0') : '\\u' + digits.padStart(4, '0');
  };
  /** Returns a name of the input as one line of visible characters. */
  const name = (text) => (text === '' ? '(empty)' : String(text).replace(INVISIBLE, escapeOne));

  /** Returns all digits of a double: the shortest text that reads back as the same number. */
  const exact = (value) => (value === null || value === undefined ? '' : String(value));

  // The steps and rules of lib/src/quantity/quantity.cpp; testdata/quantities.tsv tests that both write the same.
  // Each step: factor, suffix, and the number from which on it is used, if that is not the factor.
  const PLAIN = [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k', 1e4], [1, '']];
  const BYTES = [[2 ** 60, ' EiB'], [2 ** 50, ' PiB'], [2 ** 40, ' TiB'], [2 ** 30, ' GiB'], [2 ** 20, ' MiB'], [1024, ' KiB'], [1, ' B']];
  const SECONDS = [[86400, ' days', 172800], [3600, ' h', 7200], [60, ' min', 120], [1, ' s'], [1e-3, ' ms'], [1e-6, ' µs'], [1e-9, ' ns']];
  const isBytes = (unit) => unit === 'bytes' || unit === 'bytes/s';
  const rounded = (number, count) => {
    if (number < 1e-3 || number >= 1e4 * (1 - 0.5e-4)) {
      return number.toExponential(count - 1).replace(/\.?0*e\+?/, 'e');
    }
    const text = number.toPrecision(Math.max(count, 4));
    return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  };
  const stepOf = (steps, size, count) => {
    const up = 1 - 0.5 / 10 ** count; // what rounds up to the next step is shown in it: 1 MiB, not 1024 KiB
    const one = steps.find(([factor]) => factor === 1);
    if (size === 0 || size >= steps[0][0] * 1e4 * up) return one;
    return steps.find(([factor, , from = factor]) => size >= from * up) || steps[steps.length - 1];
  };

  /** Returns a number of at most `count` digits with its unit: "1.5 MiB", "20 ms", "85 %", "43.63/s", "12.35k". */
  const short = (value, unit, count = 4) => {
    if (value === null || value === undefined) return '';
    if (!Number.isFinite(value) || (unit === 'id' && Number.isInteger(value))) return String(value);
    const size = Math.abs(value);
    const [factor, suffix] = stepOf(isBytes(unit) ? BYTES : unit === 's' ? SECONDS : PLAIN, size, count);
    const text = size === 0 ? '0' : rounded(size / factor, count);
    const end = unit === '%' ? ' %' : unit === '/s' || unit === 'bytes/s' ? '/s' : '';
    return (value < 0 ? '-' : '') + text + suffix + end;
  };

  /** Returns the multiple of a unit in which a quantity of this size is shown. */
  const step = (size, unit) => {
    const [factor, suffix] = stepOf(isBytes(unit) ? BYTES : unit === 's' ? SECONDS : PLAIN, size, 4);
    return { factor, suffix, end: unit === '%' ? ' %' : unit === '/s' || unit === 'bytes/s' ? '/s' : '' };
  };

  const duration = (milliseconds) => short(milliseconds / 1000, 's');

  const elapsed = (milliseconds, withMilliseconds) => {
    const seconds = Math.floor(Math.abs(milliseconds) / 1000);
    const two = (number) => String(number).padStart(2, '0');
    const rest = Math.abs(milliseconds) % 1000;
    return `${milliseconds < 0 ? '−' : '+'}${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:` +
      two(seconds % 60) + (withMilliseconds ? '.' + String(Math.floor(rest)).padStart(3, '0') : '');
  };

  // In plain words, for the codes of `cook.hpp`.
  const REASONS = {
    first_sample: 'the first sample: a rate needs two',
    instance_new: 'the instance is new: a rate needs two samples',
    counter_new: 'the counter is new: a rate needs two samples',
    type_changed: 'the type of the counter changed',
    counter_went_back: 'the counter decreased',
    clock_went_back: 'the clock went back',
    base_went_back: 'the base of the counter decreased',
    idle_exceeds_interval: 'the idle time is longer than the interval',
    zero_interval: 'no time passed since the previous sample',
    zero_base: 'the base of the counter is 0',
    no_clock: 'the clock of the counter is missing',
    no_frequency: 'the frequency of the clock is missing',
    negative_frequency: 'the frequency of the clock is negative',
    no_base: 'the base of the counter is missing',
    not_started: 'the start time is missing or later',
    not_displayable: 'this type of counter has no cooked value',
    unknown_type: 'the type of the counter is unknown',
    not_a_number: 'the value is not a number',
    damaged: 'the input is damaged here',
    pdh_status: 'the log holds an error status instead of a value',
    not_recorded: 'the log states that there is no value',
    capped: 'the value was above 100 and is shown as 100',
  };
  const reason = (code) => REASONS[code] || name(String(code).replaceAll('_', ' '));

  return { name, exact, short, step, duration, elapsed, reason };
})();

/** Times of the log's zone, whatever the zone of the reader. */
class HkpdZone {
  constructor(zone) {
    this.name = zone ? zone.name : 'UTC';
    this.offsets = zone && zone.offsets.length ? [...zone.offsets] : [[null, 0]];
    this.offsets.sort((a, b) => (a[0] ?? -Infinity) - (b[0] ?? -Infinity));
  }

  /** Returns how many minutes local time is ahead of UTC at this time. */
  offset(time) {
    let found = this.offsets[0][1];
    for (const [from, minutes] of this.offsets) {
      if (from === null || from <= time) found = minutes;
    }
    return found;
  }

  /** Returns the name of the zone and its offset at this time: "Eastern Daylight Time (UTC-04:00)". */
  label(time) {
    let found = this.offsets[0][2];
    for (const [from, , label] of this.offsets) {
      if (from === null || from <= time) found = label;
    }
    return found ?? this.name;
  }

  /** Returns "2016-11-26 13:46:30", with milliseconds if asked for. */
  text(time, withMilliseconds) {
    const local = new Date(time + this.offset(time) * 60000);
    if (Number.isNaN(local.getTime())) return String(time);
    return local.toISOString().replace('T', ' ').slice(0, withMilliseconds ? -1 : -5);
  }
}

/** The index and the values of a report. */
class HkpdData {
  static async unpack(element) {
    const text = atob(element.textContent.trim());
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Response(stream).arrayBuffer();
  }

  static async load() {
    const [index, values] = await Promise.all(
      ['hkpd-index', 'hkpd-values'].map((id) => HkpdData.unpack(document.getElementById(id))));
    return new HkpdData(JSON.parse(new TextDecoder().decode(index)), new Uint8Array(values));
  }

  constructor(index, bytes) {
    if (index.version !== 1) throw new Error(`data of version ${index.version}: expected 1`);
    Object.assign(this, { gaps: [], reasons: [], series: [], charts: [], counters: [], constant: [] }, index);
    this.bytes = bytes;
    this.zone = new HkpdZone(index.zone);
    this.axes = this.grids.map(HkpdData.axis);
  }

  /** Returns a grid's slots: the times of their first and last samples, the moment at which each is drawn, and where the
   *  next begins if no sample is missing between them. */
  static axis({ times, ends = times, elapsed = false, samples }) {
    const last = times.length - 1;
    const distances = times.slice(1).map((time, i) => time - ends[i]).sort((a, b) => a - b);
    const interval = distances.length > 0 ? distances[distances.length >> 1] : 1000;
    return {
      times, ends, elapsed, interval, samples,
      reduced: ends !== times,
      middles: times.map((time, i) => (time + ends[i]) / 2),
      until: ends.map((end, i) => (i === last ? end : Math.min(times[i + 1], end + interval))),
      withMilliseconds: interval < 1000,
    };
  }

  /** Returns arrays of one entry per slot of the series' grid: min, mean, max (null: no value) and reason (''). */
  values(series) {
    const { at } = series;
    const count = this.axes[series.grid].times.length;
    const states = this.bytes.subarray(at, at + count);
    let doubles = 0;
    for (const state of states) doubles += state & 3;
    if (states.length !== count || at + count + 8 * doubles > this.bytes.length) {
      throw new Error(`values of a series: expected ${count + 8 * doubles} bytes at ${at} of ${this.bytes.length}`);
    }
    const numbers = this.unshuffle(at + count, doubles);
    const result = { min: [], mean: [], max: [], reason: [], reduced: false };
    let next = 0;
    for (const state of states) {
      const size = state & 3;
      const own = numbers.subarray(next, next + size);
      next += size;
      // The sum is halved last: each half alone may be too small for a double.
      const mean = size === 0 ? null : size === 2 ? HkpdData.middle(own[0], own[1]) : own[size >> 1];
      result.min.push(size === 0 ? null : own[0]);
      result.mean.push(mean);
      result.max.push(size === 0 ? null : own[size - 1]);
      result.reason.push(state >> 2 ? this.reasons[(state >> 2) - 1] : '');
      if (size > 1) result.reduced = true;
    }
    return result;
  }

  static middle(a, b) {
    const sum = a + b;
    return Number.isFinite(sum) ? sum / 2 : a / 2 + b / 2;
  }

  /** Returns doubles that are stored as planes: first byte 0 of each, then byte 1 of each, … */
  unshuffle(at, count) {
    const bytes = new Uint8Array(8 * count);
    for (let plane = 0; plane < 8; ++plane) {
      for (let i = 0; i < count; ++i) bytes[8 * i + plane] = this.bytes[at + plane * count + i];
    }
    const view = new DataView(bytes.buffer);
    return Float64Array.from({ length: count }, (_, i) => view.getFloat64(8 * i, true));
  }
}
