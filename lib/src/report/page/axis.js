// The axis of values: the rules of lib/src/quantity/axis.cpp, by which the report draws the pictures that charts replace.
'use strict';

const hkpdAxis = (() => {
  const roundUp = (number, fewDigits) => {
    const power = 10 ** Math.floor(Math.log10(number));
    const found = [1, 2, 2.5, 5].find((round) => number <= round * power * (1 + 1e-9) && !(fewDigits && round === 2.5));
    return found ? found * power : 10 * power;
  };

  const roundStep = (range, { factor, suffix }, most, fewDigits) => {
    const least = range / factor / most;
    if (factor >= 60 && factor < 86400 && suffix.startsWith(' ') && least > 1) {
      const found = [2, 5, 10, 15, 30, 60].find((round) => least <= round);
      if (found) return found * factor;
    }
    return roundUp(least, fewDigits) * factor;
  };

  const tickText = (value, step, { factor, suffix, end }, unit) => {
    if (value === 0) return unit === '%' ? '0 %' : '0';
    const inUnit = step / factor;
    let decimals = 0;
    while (decimals <= 3 && Math.abs(inUnit * 10 ** decimals - Math.round(inUnit * 10 ** decimals)) > 1e-6) ++decimals;
    if (decimals > 3 || Math.abs(value) / factor >= 1e6) return hkpdText.short(value, unit);
    const text = (value / factor).toFixed(decimals);
    return (decimals > 0 ? text.replace(/\.?0+$/, '') : text) + suffix + end;
  };

  const stepOf = (low, high, unit, most) => {
    const step = hkpdText.step(Math.max(Math.abs(low), Math.abs(high)), unit);
    // An axis that does not begin at zero has labels of many digits: steps of one digit, which are farther apart.
    const narrow = low > 0;
    return { unit: step, step: roundStep(high - low, step, narrow ? most + 2 : most, narrow) };
  };

  /** Returns the range of the axis for values from `min` to `max`: from zero, unless they vary little. */
  const range = ({ min, max, unit, fromZero }, most) => {
    if (!(min <= max)) return [0, 1];
    [min, max] = [min, max].map((value) => Math.min(Math.max(value, -1e300), 1e300));
    if (!fromZero && unit !== '%' && min > 0 && max - min < 0.1 * max) {
      const margin = Math.max(0.2 * (max - min), 0.005 * max);
      return [Math.max(0, min - margin), max + margin];
    }
    let [low, high] = [Math.min(0, min), Math.max(0, max)];
    if (unit === '%' && high > 30 && high <= 100) high = 100;
    if (low === high) high = 1;
    const { step } = stepOf(low, high, unit, most);
    return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
  };

  /** Returns the values and texts of the labels between two ends of an axis. */
  const ticks = (low, high, unit, most) => {
    const { unit: own, step } = stepOf(low, high, unit, most);
    const result = [];
    for (let number = Math.ceil(low / step - 1e-9); number * step <= high + 1e-9 * step; ++number) {
      result.push({ value: number * step, text: tickText(number * step, step, own, unit) });
    }
    return result;
  };

  return { range, ticks };
})();
