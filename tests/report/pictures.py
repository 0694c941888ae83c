"""The static pictures of charts, worked out from the points of the page's index, which are compared with `hkpd replay`."""

import bisect
import re

import page as pages

UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "%": 1, "s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9,
         "min": 60, "h": 3600, "days": 86400}
UNITS |= {prefix + "B": 2.0 ** (10 * power) for power, prefix in enumerate(["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"])}
ROUNDING = 1.01  # units of a picture, of which it has 1,000
MOST_POINTS = 240


def check(numbers, figure, chart, what):
    svg = figure.first("svg")
    numbers.require(svg is not None, f"{what}: none")
    if svg is None:
        return
    picture = pages.Picture(svg)
    check_axis(numbers, picture, chart, what)
    check_times(numbers, picture, chart["elapsed"], what)
    shown = [numbers.index["series"][place] for place in chart["series"]]
    check_legend(numbers, figure.first("table", class_="key"), shown, what)
    lines = [points_of(numbers, series) for series in shown]
    scale = chart.get("scale", 1)
    if chart["kind"] == "stack":
        check_stack(numbers, picture, lines, what)
    else:
        for position, points in enumerate(lines):
            check_line(numbers, picture, swatch_of(figure, position), points, scale, f"{what}, line {position}")
    limits = [limit["value"] * scale for limit in chart["limits"] if picture.low <= limit["value"] * scale <= picture.high]
    drawn = sorted(stretch[0][1] for stretch in picture.of("limit"))
    expected = sorted(picture.y(limit) for limit in limits)
    numbers.require(len(drawn) == len(expected) and all(abs(a - b) < ROUNDING for a, b in zip(drawn, expected)), f"{what}: limits at {drawn}, expected {expected}")


def swatch_of(figure, position):
    row = list(figure.first("table", class_="key").first("tbody").all("tr"))[position]
    return row.first("span", class_="swatch").attributes["class"].split()


def points_of(numbers, series):
    """Returns the intervals of a series: first and last time, and its values in it."""
    return list(zip(numbers.page.intervals(series["grid"]), numbers.page.buckets(series, count_bytes=False)))


def check_axis(numbers, picture, chart, what):
    """Labels stand where their numbers are, have at most four digits, differ, and the lowest or highest is not far from the end."""
    places = []
    for text, y in picture.values:
        found = re.fullmatch(r"(-?)([\d.]+(?:e-?\d+)?)([kMGTPE]?)(?: ([^/]+))?(?:/s)?", text)
        numbers.require(found is not None, f"{what}: {text!r} is no number")
        if not found:
            continue
        digits = found[2].split("e")[0].replace(".", "").strip("0")
        numbers.require(len(digits) <= 4 or chart["unit"] == "id", f"{what}: {text!r} has more than four digits")
        value = float(found[1] + found[2]) * UNITS[found[3]] * UNITS[found[4] or ""]
        expected = 12 + picture.y(value) * picture.height / 1000
        numbers.require(abs(y - expected) <= 1 + 0.0006 * abs(value) / (picture.high - picture.low) * picture.height, f"{what}: {text} at {y}, expected {expected}")
        places.append(y)
    numbers.require(2 <= len(set(places)) == len(places) <= 7 and len({text for text, _ in picture.values}) == len(places), f"{what}: labels {picture.values}")


def check_times(numbers, picture, elapsed, what):
    """The times of labels are where the axis has them, in the zone of the page."""
    last, count = "", 0
    for text, x in picture.times:
        numbers.require(-0.01 <= x <= 100.01, f"{what}: {text} at {x} %")
        moment = picture.begin + (picture.end - picture.begin) * x / 100
        slack = (picture.end - picture.begin) * 0.0006 + 1  # percentages have four digits
        if elapsed:
            hours, minutes, seconds = [*map(int, text.removeprefix("+").split(":")), 0][:3]
            numbers.equal(f"{what}: label {text}", moment, (hours * 3600 + minutes * 60 + seconds) * 1000, slack)
            continue
        locals_of = [moment + shift + numbers.offset_at(round(moment + shift)) * 60000 for shift in (-slack, 0, slack)]
        if re.fullmatch(r"(\d{4}-)?\d\d-\d\d", text):
            numbers.require(any(numbers.day(local).endswith(text) for local in locals_of), f"{what}: date {text} at {x} %")
            last = text
        else:
            parts = [float(part) for part in text.split(":")] + [0] * (2 - text.count(":"))
            of_day = (parts[0] * 3600 + parts[1] * 60 + parts[2]) * 1000
            distance = min(min((local - of_day) % 86400000, (of_day - local) % 86400000) for local in locals_of)
            numbers.require(distance <= 2 * slack, f"{what}: label {text} at {x} %, which is {distance} ms off")
            count += 1
    numbers.require(elapsed or last or picture.end - picture.begin < 2000, f"{what}: no date among {picture.times}")


def check_legend(numbers, table, shown, what):
    rows = pages.table_rows(table)
    numbers.equal(f"{what}: lines of the legend", len(rows), len(shown))
    for (_, cells), series in zip(rows, shown):
        for key in ("min", "mean", "max"):
            numbers.equal(f"{what}: {key} in the legend", cells[key].numbers(), [series[key]] if series[key] is not None else [])


def height_at(stretches, x):
    """Returns the lowest and highest coordinate of lines within the rounding of a place; None if there is none."""
    found = []
    for stretch in stretches:
        for (x1, y1), (x2, y2) in zip(stretch, stretch[1:] or stretch):
            low, high = min(x1, x2), max(x1, x2)
            for at in (max(low, x - ROUNDING), min(high, x + ROUNDING)):
                if low <= at <= high and abs(at - x) <= ROUNDING + 1e-9:
                    found.append(y1 if x1 == x2 else y1 + (y2 - y1) * (at - x1) / (x2 - x1))
    return (min(found), max(found)) if found else None


def check_line(numbers, picture, swatch, points, scale, what):
    """Each value is between the band's edges or on the line; and the line and the band have no others. Neighbouring intervals
    may be joined in the picture: what is drawn at a time is then between the smallest and largest value around it."""
    values = [(first, last, bucket) for (first, last), bucket in points if bucket.min is not None]
    line, band = picture.of("line", swatch), picture.of("band", swatch)
    numbers.require(bool(line) == bool(values), f"{what}: {len(line)} parts of a line of {len(values)} values")
    if not values:
        return
    vertices = [vertex for stretch in line for vertex in stretch]
    numbers.require(len(values) <= MOST_POINTS or len(set(vertices)) < len(values), f"{what}: {len(vertices)} points")
    every = band + line
    # The highest and the lowest value are drawn at their times.
    for best, pick in ((max, "max"), (min, "min")):
        first, last, bucket = best(values, key=lambda value: getattr(value[2], pick))
        expected = picture.y(getattr(bucket, pick) * scale)
        heights = [y for stretch in every for _, y in stretch]
        extreme = min(heights) if pick == "max" else max(heights)
        numbers.require(abs(extreme - expected) < ROUNDING, f"{what}: {pick} drawn at {extreme}, expected {expected}")
    check_vertices(numbers, picture, values, line, band, scale, what)
    if len(values) <= MOST_POINTS // 6:
        for first, last, bucket in values:  # none are joined
            found = height_at(line, picture.x((first + last) / 2))
            mean = picture.y(bucket.mean * scale)
            numbers.require(found and found[0] - ROUNDING <= mean <= found[1] + ROUNDING, f"{what}: mean at {found}, expected {mean}")


def check_vertices(numbers, picture, values, line, band, scale, what):
    middles = [(first + last) / 2 for first, last, _ in values]
    x_of = [picture.x(middle) for middle in middles]
    width = max(1, -(-len(values) // 40))  # at least 40 points
    for stretch in line + band:
        for x, y in stretch:
            at = bisect.bisect_left(x_of, x)
            around = [bucket for _, _, bucket in values[max(0, at - width - 1) : at + width + 1]]
            high, low = picture.y(max(b.max for b in around) * scale), picture.y(min(b.min for b in around) * scale)
            numbers.require(high - ROUNDING <= y <= low + ROUNDING, f"{what}: a point at {x}, {y}, where values are from {low} to {high}")


def check_stack(numbers, picture, lines, what):
    """The highest line ends where the sum of all means does."""
    total = {}
    for points in lines:
        for (first, last), bucket in points:
            if bucket.mean is not None:
                total[(first + last) / 2] = total.get((first + last) / 2, 0) + bucket.mean
    top = picture.of("line", [f"c{len(lines)}"])
    heights = [y for stretch in top for _, y in stretch]
    numbers.require(heights and min(heights) >= picture.y(max(total.values())) - ROUNDING, f"{what}: higher than the sum")
    if len(total) <= MOST_POINTS // 6:
        for time, value in total.items():
            found = height_at(top, picture.x(time))
            numbers.require(found and found[0] - ROUNDING <= picture.y(value) <= found[1] + ROUNDING, f"{what}: sum at {found}, expected {picture.y(value)}")
