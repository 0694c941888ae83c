"""Takes a page of `hkpd report` apart: its text, tables, findings, and the values of its charts. By the description in
lib/src/report/README.md, with Python's standard library alone."""

import base64
import dataclasses
import html.parser
import json
import re
import struct
import zlib

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Element:
    def __init__(self, tag, attributes=(), parent=None):
        self.tag, self.attributes, self.parent, self.children = tag, dict(attributes), parent, []

    def all(self, tag=None, **attributes):
        """Yields the elements within this one, in order; `class_` for the attribute class, of which one word is enough."""
        for child in self.children:
            if isinstance(child, Element):
                if tag in (None, child.tag) and all(child.has(name.rstrip("_"), value) for name, value in attributes.items()):
                    yield child
                yield from child.all(tag, **attributes)

    def has(self, name, value):
        found = self.attributes.get(name)
        return found == value or (name == "class" and value in (found or "").split())

    def first(self, tag=None, **attributes):
        return next(self.all(tag, **attributes), None)

    def text(self):
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def numbers(self):
        """Returns the exact numbers of the <data> elements within."""
        return [float(data.attributes["value"]) for data in self.all("data")]

    def moments(self):
        """Returns the times of the <time> elements within."""
        return [time.attributes["datetime"] for time in self.all("time")]


class Tree(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = self.current = Element("")
        self.feed(text)
        self.close()
        if self.current is not self.root:
            raise ValueError(f"<{self.current.tag}> is not closed")

    def handle_starttag(self, tag, attrs):
        element = Element(tag, attrs, self.current)
        self.current.children.append(element)
        if tag not in VOID:
            self.current = element

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if self.current.tag != tag:
            raise ValueError(f"</{tag}> in <{self.current.tag}>, line {self.getpos()[0]}")
        self.current = self.current.parent

    def handle_data(self, data):
        self.current.children.append(data)


@dataclasses.dataclass
class Bucket:
    """The values of a series in an interval of time. Without values, `min`, `mean` and `max` are None. `reason`: why a
    value is missing, perhaps besides others that are not."""

    min: object = None
    mean: object = None
    max: object = None
    reason: object = None


class Page:
    def __init__(self, text):
        self.root = Tree(text).root
        self.index = json.loads(self.data("hkpd-index"))
        self.values = self.data("hkpd-values")
        self.used = 0

    def data(self, name):
        """Returns the content of one of the two scripts of data."""
        element = self.root.first("script", id=name)
        inflater = zlib.decompressobj(-15)
        content = inflater.decompress(base64.b64decode(element.text(), validate=True)) + inflater.flush()
        if not inflater.eof or inflater.unused_data:
            raise ValueError(f"{name} is incomplete, or longer than its DEFLATE stream")
        return content

    def section(self, name):
        return self.root.first("section", id=name)

    def facts(self):
        """Returns the descriptions of the head by their terms."""
        facts = {}
        for entry in self.root.first("dl", class_="facts").all("div"):
            facts[entry.first("dt").text()] = entry.first("dd")
        return facts

    def findings(self):
        """Yields the <article> of each rule that found something."""
        yield from self.section("findings").all("article", class_="finding")

    def intervals(self, grid):
        """Returns the first and last millisecond of each bucket of a grid."""
        grid = self.index["grids"][grid]
        if "times" in grid:
            return list(zip(grid["times"], grid.get("ends", grid["times"])))
        return [(grid["from"] + i * grid["step"], grid["from"] + (i + 1) * grid["step"] - 1) for i in range(grid["count"])]

    def buckets(self, series, count_bytes=True):
        """Returns the values of a series of the index in each interval of its grid. `count_bytes`: whether `used` counts it."""
        count = len(self.intervals(series["grid"]))
        at = series["at"]
        states = self.values[at : at + count]
        if len(states) != count:
            raise ValueError(f"a series at {at} of {len(self.values)} bytes")
        doubles = sum(state & 3 for state in states)
        planes = self.values[at + count : at + count + 8 * doubles]
        if len(planes) != 8 * doubles:
            raise ValueError(f"a series at {at} of {len(self.values)} bytes")
        self.used += (count + 8 * doubles) * count_bytes
        numbers = iter(struct.unpack("<d", bytes(planes[byte * doubles + i] for byte in range(8)))[0] for i in range(doubles))
        return [self.bucket(state, numbers) for state in states]

    def bucket(self, state, numbers):
        reason = self.index["reasons"][(state >> 2) - 1] if state >> 2 else None
        given = [next(numbers) for _ in range(state & 3)]
        if not given:
            return Bucket(reason=reason)
        mean = given[1] if len(given) == 3 else (given[0] + given[-1]) / 2
        return Bucket(given[0], mean, given[-1], reason)


class Picture:
    """The static picture of a chart: the ends of its axes and the paths in it."""

    WIDTH = 1000  # and height, in the units of its paths

    def __init__(self, svg):
        self.low, self.high = float(svg.attributes["data-low"]), float(svg.attributes["data-high"])
        self.begin, self.end = int(svg.attributes["data-from"]), int(svg.attributes["data-to"])
        self.label = svg.attributes["aria-label"]
        self.values = [(text.text(), float(text.attributes["y"])) for text in svg.first("g", class_="y").all("text")]
        self.times = [(text.text(), float(text.attributes["x"].removesuffix("%"))) for text in svg.first("g", class_="x").all("text")]
        self.height = float(svg.first("svg").attributes["height"])
        self.paths = [(path.attributes["class"].split(), stretches_of(path.attributes["d"])) for path in svg.all("path")]

    def of(self, kind, swatch=None):
        """Returns the stretches of the paths of a kind. `swatch`: the classes of the line's entry in the legend."""
        return [stretch for classes, found in self.paths for stretch in found
                if kind in classes and (swatch is None or set(classes) - {kind} == set(swatch) - {"swatch"})]

    def x(self, time):
        return self.WIDTH * (time - self.begin) / (self.end - self.begin) if self.end > self.begin else self.WIDTH / 2

    def y(self, value):
        return self.WIDTH * min(1, max(0, (self.high - value) / (self.high - self.low)))


def stretches_of(path):
    """Returns the points of each subpath of the `d` of a path with the commands M, h, l, v and z."""
    stretches, x, y = [], 0, 0
    for command, text in re.findall(r"([Mhlvz])([^Mhlvz]*)", path):
        numbers = [int(number) for number in re.findall(r"-?\d+", text)]
        if command == "M":
            x, y = numbers
            stretches.append([(x, y)])
        elif command == "z":
            stretches[-1].append(stretches[-1][0])
        else:
            steps = zip(numbers[::2], numbers[1::2]) if command == "l" else [(n, 0) if command == "h" else (0, n) for n in numbers]
            for dx, dy in steps:
                x, y = x + dx, y + dy
                stretches[-1].append((x, y))
    return stretches


def table_rows(table):
    """Returns the rows of a table as dictionaries of cells by the text of their column's head, in order of columns. A head
    that stands twice, or that is `to` or `at`, is named with the one in front of it."""
    heads, last = [], ""
    for head in table.first("thead").all("th"):
        name = head.text().strip()
        heads.append(f"{last} {name}" if name in ("to", "at") else name)
        last = heads[-1]
    rows = []
    for row in table.first("tbody").all("tr"):
        cells = [cell for cell in row.children if isinstance(cell, Element)]
        if len(cells) != len(heads):
            raise ValueError(f"a row of {len(cells)} cells under {len(heads)} heads")
        rows.append((row, dict(zip(heads, cells))))
    return rows
