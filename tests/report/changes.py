"""The section of a page that shows what changed since a baseline, worked out from the values of both runs."""

import math
import re

import evaluate
import page as pages

# Of these, a larger value is not more of anything.
NO_AMOUNT = re.compile(
    r"(?:^|.* )(?:state|status|reason|flags?|id|identifier|address)$|id process$|id thread$|priority (?:base|current)$|user pc$"
    r"|(?:^|.* )(?:elapsed time|up time|uptime)$|elapsed time since "
)
LEAST_NOISE = 0.01  # of the largest median or 95th percentile
MOST_ROWS = 100


def statistics_of(run, with_machine):
    """Returns the statistics of each series of a run that is compared, by its names in lower case."""
    found = {}
    for series in run.series.values():
        if series.present() and not NO_AMOUNT.match(series.counter.casefold()):
            name = (series.machine * with_machine, series.object, series.name, series.counter)
            found.setdefault(tuple(part.casefold() for part in name), evaluate.expectation(series.present()))
    return found


def effect_of(before, after):
    """Returns the difference of medians or of 95th percentiles, the larger one, divided by the noise."""
    known = [side["stddev"] ** 2 for side in (before, after) if side["count"] > 1 and side["stddev"] is not None]
    spread = math.sqrt(sum(known) / len(known)) if known else 0.0
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
    brief = {name for name in changed if any(side[name]["count"] * 4 < max(each["count"] for each in side.values()) for side in (before, after))}
    section = numbers.page.section("changes")
    found = re.search(r"Series: (\d+) changed, (\d+) unchanged, (\d+) only in the baseline, (\d+) only in the log", section.first("p").text())
    expected = [len(changed), len(before.keys() & after.keys()) - len(changed), len(before.keys() - after.keys()), len(after.keys() - before.keys())]
    numbers.equal("numbers of series that changed", [int(count) for count in found.groups()], expected)
    rows = pages.table_rows(section.first("table")) if changed else []
    numbers.equal("rows of changes", len(rows), min(MOST_ROWS, len(changed)))
    check_rows(numbers, rows, before, after, changed, brief)


def check_rows(numbers, rows, before, after, changed, brief):
    last, seen, any_brief = math.inf, set(), False
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
        is_brief = same[0] in brief
        numbers.require(is_brief or not any_brief, f"{name}: after one of few values")
        last = math.inf if is_brief and not any_brief else last
        any_brief = any_brief or is_brief
        numbers.require(abs(effect) <= last * (1 + 1e-12), f"{name}: in front of a larger effect")
        last = abs(effect)
