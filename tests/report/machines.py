"""The table of machines of a page, worked out from the run."""

import evaluate
import page as pages
import replayed

PROCESSOR = [("processor", "% processor time"), ("processor", "% processor utility"), ("processor information", "% processor time"),
             ("processor information", "% processor utility")]
MEMORY = [("memory", "available bytes"), ("memory", "available kbytes"), ("memory", "available mbytes")]


def check(numbers):
    run, section = numbers.run, numbers.page.section("machines")
    numbers.equal("a table of machines", section is not None, len(run.times) > 1)
    overview = numbers.page.section("overview")
    areas = [area.attributes["id"] for area in overview.all("section", class_="area")] if overview else []
    names = ("processor", "memory", "disk", "network", "process")
    shown = min(len(run.times), 8)
    expected = list(names) if len(run.times) == 1 else [f"machine-{i}-{name}" for i in range(1, shown + 1) for name in names]
    numbers.equal("areas of the overview", areas, expected if run.times else [])
    for area in overview.all("section", class_="area") if overview else []:
        parts = [*area.all("figure"), *area.all("p", class_="missing"), *area.all("p", class_="zero")]
        numbers.require(parts, f"{area.attributes['id']} is empty")
    if section is None:
        return
    rows = pages.table_rows(section.first("table"))
    numbers.equal("rows of machines", sorted(cells["Machine"].text() for _, cells in rows), sorted(run.times))
    for _, cells in rows:
        check_row(numbers, cells["Machine"].text(), cells)


def check_row(numbers, machine, cells):
    times = numbers.run.times[machine]
    numbers.equal(f"{machine}: samples", cells["Samples"].numbers(), [len(times)])
    span = [replayed.milliseconds(cells[head].moments()[0]) for head in ("First", "Last")]
    numbers.equal(f"{machine}: span", span, [min(times), max(times)])
    processor = first_of(numbers.run, machine, PROCESSOR, "_Total")
    memory = first_of(numbers.run, machine, MEMORY, "")
    for head, series, key in (("Processor mean", processor, "mean"), ("Processor p95", processor, "p95"), ("Least available memory", memory, "min")):
        if series is None and head == "Processor mean":
            series = first_of(numbers.run, machine, [("processor", "% idle time")], None)
        found, expected = cells[head].numbers(), [evaluate.expectation(series.present())[key]] if series else []
        same = len(found) == len(expected) and all(abs(a - b) <= 1e-12 * abs(b) for a, b in zip(found, expected))
        numbers.require(same or (series and len(times) > 1000), f"{machine}: {head} {found}, expected {expected}")
    for head, severity in (("Critical findings", "critical"), ("Warnings", "warning")):
        count = sum(f["machine"] == machine and f["severity"] == severity for f in numbers.evaluation.findings)
        numbers.equal(f"{machine}: {head}", cells[head].numbers(), [count])


def first_of(run, machine, names, instance):
    for name in names:
        for series in run.series.values():
            if series.machine == machine and (series.object.casefold(), series.counter.casefold()) == name and instance in (None, series.instance) and series.present():
                return series
    return None
