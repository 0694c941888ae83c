"""The section of a page that shows what changed since a baseline, worked out from the values of both runs."""

import math
import re

import evaluate
import page as pages

IDS = {"id process", "process id", "creating process id", "id thread"}
LEAST_NOISE = 0.01  # of the largest median or 95th percentile
MOST_ROWS = 100


def statistics_of(run, with_machine):
    """Returns the statistics of each series of a run that is compared, by its names in lower case."""
    found = {}
    for series in run.series.values():
        if series.present() and series.counter.casefold() not in IDS:
            name = (series.machine * with_machine, series.object, series.name, series.counter)
            found.setdefault(tuple(part.casefold() for part in name), evaluate.expectation(series.present()))
    return found


def effect_of(before, after):
    """Returns the difference of medians or of 95th percentiles, the larger one, divided by the noise."""
    spread = math.sqrt(((before["stddev"] or 0) ** 2 + (after["stddev"] or 0) ** 2) / 2)
    noise = max(spread, LEAST_NOISE * max(abs(s[key]) for s in (before, after) for key in ("p50", "p95")))
    effects = [(after[key] - before[key]) / noise if noise > 0 else 0.0 for key in ("p50", "p95")]
    return max(effects, key=abs)


def check(numbers, baseline, run):
    with_machine = len(baseline.times) > 1 or len(run.times) > 1
    before, after = statistics_of(baseline, with_machine), statistics_of(run, with_machine)
    changed = {}
    for name in before.keys() & after.keys():
        if any(before[name][key] != after[name][key] for key in ("p50", "p95", "max")):
            changed[name] = effect_of(before[name], after[name])
    section = numbers.page.section("changes")
    found = re.search(r"Series: (\d+) changed, (\d+) unchanged, (\d+) only in the baseline, (\d+) only in the log", section.first("p").text())
    expected = [len(changed), len(before.keys() & after.keys()) - len(changed), len(before.keys() - after.keys()), len(after.keys() - before.keys())]
    numbers.equal("numbers of series that changed", [int(count) for count in found.groups()], expected)
    rows = pages.table_rows(section.first("table")) if changed else []
    numbers.equal("rows of changes", len(rows), min(MOST_ROWS, len(changed)))
    check_rows(numbers, rows, before, after, changed)


def check_rows(numbers, rows, before, after, changed):
    last, seen = math.inf, set()
    for _, cells in rows:
        name = tuple(cells[head].text().casefold().removesuffix("#*") for head in ("Object", "Instance", "Counter"))
        same = [key for key in changed if key[1:] == name and key not in seen]
        numbers.require(same, f"a change of {name} that is none")
        if not same:
            continue
        seen.add(same[0])
        for head, key in (("Median", "p50"), ("95th percentile", "p95"), ("Peak", "max")):
            for word, side in (("before", before), ("after", after)):
                value = side[same[0]][key]
                numbers.equal(f"{name}: {head} {word}", cells[f"{head} {word}"].numbers(), [value])
        (effect,) = cells["Effect"].numbers()
        numbers.equal(f"{name}: effect", abs(effect), abs(changed[same[0]]), 1e-9 * abs(effect))
        numbers.require(abs(effect) <= last * (1 + 1e-12), f"{name}: in front of a larger effect")
        last = abs(effect)
