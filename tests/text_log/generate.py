#!/usr/bin/env python3
"""generate.py FOLDER COUNT [SEED]: writes text logs as people really have them, to FOLDER.
generate.py --seeds FOLDER: writes a small log for each choice of a plan, for the fuzz target text_log.

`render` makes the log of a plan (plan.py) with the truth about it: for each cell the exact value, or that there is none, or
that it cannot be known. It is written from lib/FORMATS.md and shares no code with the reader.
"""
import dataclasses
import datetime
import functools
import pathlib
import random
import sys
import zoneinfo

import names
import plan as plans

UTC = datetime.timezone.utc
HALF_HOUR, HOUR = datetime.timedelta(minutes=30), datetime.timedelta(hours=1)
ENCODINGS = {"utf-8": ("utf-8", b""), "utf-8 mark": ("utf-8", b"\xef\xbb\xbf"), "utf-16-le": ("utf-16-le", b"\xff\xfe"),
             "utf-16-be": ("utf-16-be", b"\xfe\xff"), "utf-16-le mark": ("utf-16-le", b"\xff\xfe")}

DATES = {"iso": "%Y-%m-%d", "us": "%m/%d/%Y", "german": "%d.%m.%Y", "french": "%d/%m/%Y", "japanese": "%Y/%m/%d"}


@dataclasses.dataclass
class Cell:
    """A value, and what a reader may do with it."""
    text: str
    key: tuple | None      # machine, object, instance, counter; None if the encoding of the names is not known
    times: frozenset       # the texts of its time that are right
    certain: bool          # it must be shown; otherwise it may be left out if a fault is reported
    line: int


@dataclasses.dataclass
class Log:
    plan: plans.Plan
    data: bytes = b""
    options: list = dataclasses.field(default_factory=list)
    values: dict = dataclasses.field(default_factory=dict)      # of each number, the cell: no two have the same
    absent: list = dataclasses.field(default_factory=list)      # cells without a value
    minus_one: list = dataclasses.field(default_factory=list)   # cells of which it cannot be known whether -1 is a value
    own: set = dataclasses.field(default_factory=set)           # headings that are no counter paths
    must_fail: bool = False                                     # something is lost, whatever the reader does
    may_fail: bool = False
    named: str | None = None                                    # the text of a damaged cell, which a fault has to name


@dataclasses.dataclass
class Column:
    heading: str
    key: tuple | None
    numbers: str
    scale: float = 1.0


@functools.cache
def changes(name):
    """Returns the moments in 2019 to 2026 at which the clocks of a zone change."""
    zone, found = zoneinfo.ZoneInfo(name), []
    moment, step = datetime.datetime(2019, 1, 2, tzinfo=UTC), datetime.timedelta(days=1)
    while moment.year < 2027:
        if moment.astimezone(zone).utcoffset() != (moment + step).astimezone(zone).utcoffset():
            exact = moment
            while moment.astimezone(zone).utcoffset() == (exact + HALF_HOUR).astimezone(zone).utcoffset():
                exact += HALF_HOUR
            found.append(exact + HALF_HOUR)
        moment += step
    return found


class Renderer:
    def __init__(self, plan, has_encoding):
        self.plan, self.log = plan, Log(plan)
        self.zone_names = self.dice("zone").choice(names.ZONES[plan.language])
        self.zone = zoneinfo.ZoneInfo(self.zone_names[0])
        self.names_known = True
        if plan.has_code_page():
            if plan.known_by == "option" and has_encoding:
                self.log.options += ["--encoding", plan.encoding.upper()]
            elif plan.known_by != "zone" or plan.zone_words == "local" and plan.language in names.RARE_ZONE_NAMES:
                # Code page 1252 is what is assumed.
                self.names_known = plan.encoding == "cp1252"
                self.log.may_fail = not self.names_known  # bytes that are no characters of 1252
        if plan.log_tz:
            self.log.options += ["--log-tz", self.zone_names[0]]
        self.columns, self.lines, self.switch = [], [], None
        self.ambiguous_dates = False

    def dice(self, topic):
        """Returns the dice of a topic: what is drawn for it does not depend on the other choices of the plan."""
        return random.Random(f"{topic} {self.plan.seed}")

    # Times

    def moments(self):
        """Returns the moments of the rows, for each run of the log."""
        dice, plan = self.dice("times"), self.plan
        every = datetime.timedelta(seconds=dice.choice([1, 5, 10, 60, 300, 900, 3600]))
        shift = datetime.timedelta(milliseconds=dice.randrange(1000) if plan.clock == "milliseconds" else 0)
        of_zone = changes(self.zone_names[0])
        if plan.change != "none" and of_zone:
            every = datetime.timedelta(minutes=dice.choice([5, 10, 15]))
            change = dice.choice(of_zone)
            begin = change - 3 * HOUR + shift + datetime.timedelta(seconds=dice.randrange(300))
            first = [begin + every * n for n in range(6 * HOUR // every)]
        else:
            while True:
                seconds = dice.randrange(7 * 365 * 86400)
                begin = datetime.datetime(2019, 3, 1, tzinfo=UTC) + datetime.timedelta(seconds=seconds) + shift
                if not any(begin - 24 * HOUR < change < begin + 240 * HOUR for change in of_zone):
                    break
            first = [begin]
            while len(first) < plan.rows:
                first.append(first[-1] + every * (dice.randrange(2, 9) if dice.random() < 0.05 else 1))
        if plan.runs == "one":
            return [first]
        if plan.runs == "rows go back":
            return [first, [moment - 2 * HOUR - every * len(first) for moment in first]]
        return [first, [first[-1] + HOUR + every * (n + 1) for n in range(plan.rows)]]

    def local(self, moment, first):
        """Returns the clock that a row shows."""
        if self.plan.change == "converted":
            return (moment + first.astimezone(self.zone).utcoffset()).replace(tzinfo=None)
        return moment.astimezone(self.zone).replace(tzinfo=None)

    def right_times(self, moment, first):
        """Returns the texts of a time that a reader may show."""
        plan, local = self.plan, self.local(moment, first)
        utc = moment.replace(tzinfo=None)
        right = set()
        if plan.states_zone() or plan.log_tz or plan.header == "cut in the zone":
            right.add(shown(utc) + "Z")
        if not (plan.states_zone() or plan.log_tz):
            right.add(shown(local))
        if plan.states_zone() and plan.zone_words == "local":
            right.add(shown(local - first.astimezone(self.zone).utcoffset()) + "Z")
        if self.ambiguous_dates:
            other = local.replace(day=local.month, month=local.day)
            if plan.log_tz:
                right.add(shown(other.replace(tzinfo=self.zone).astimezone(UTC).replace(tzinfo=None)) + "Z")
            else:
                right.add(shown(other))
        return frozenset(right)

    def time_cells(self, local):
        plan = self.plan
        date = local.strftime(DATES[plan.date])
        if plan.clock == "12 hours":
            clock = f"{(local.hour + 11) % 12 + 1}:{local:%M:%S} {'AM' if local.hour < 12 else 'PM'}"
        else:
            clock = f"{local:%H:%M:%S}" + (f".{local.microsecond // 1000:03}" if plan.clock == "milliseconds" else "")
        return [date, clock] if plan.header == "Date and Time" else [f"{date} {clock}"]

    # Columns

    def make_columns(self, topic):
        dice, plan, taken, columns = self.dice(topic), self.plan, set(), []
        encoding = ENCODINGS.get(plan.encoding, (plan.encoding,))[0]
        if plan.part == "code page":
            encoding = plans.CODE_PAGES[plan.language]
        while len(columns) < plan.columns and plan.own != "only":
            name, instance, counter = names.counter(dice, plan.language, encoding)
            machine = f"SRV{1 + len(columns) % 2}" if plan.machine == "two" else plan.machine
            key = (machine, name, instance, counter)
            if tuple(part.casefold() for part in key) in taken:
                if dice.random() < 0.1:
                    break
                continue
            taken.add(tuple(part.casefold() for part in key))
            heading = f"\\\\{machine}" * bool(machine) + f"\\{name}" + f"({instance})" * bool(instance) + f"\\{counter}"
            numbers = "integers" if plan.numbers == "digits" and dice.random() < 0.3 else plan.numbers
            scale = dice.choice([1.0, 1.0, 1e9, 1e-7]) if numbers == "digits" else dice.choice([1.0, 1e6])
            columns.append(Column(heading, key if self.names_known or heading.isascii() else None, numbers, scale))
        if plan.own in ("last", "middle", "only"):
            name = dice.choice(names.OWN_HEADINGS)
            self.log.own.add(name)
            place = len(columns) if plan.own == "last" else dice.randrange(len(columns) + 1)
            columns.insert(place, Column(name, ("", "", "", name), plan.numbers))
        return columns

    def first_cells(self, first):
        plan = self.plan
        offset = first.astimezone(self.zone).utcoffset()
        local = 2 if plan.zone_words == "local" and len(self.zone_names) > 3 else 0
        name = self.zone_names[1 + local + bool(first.astimezone(self.zone).dst())]
        kind = f"(PDH-{'TSV' if plan.separator == chr(9) else 'CSV'} 4.0)"
        stated = f"{kind} ({name})({-int(offset.total_seconds()) // 60})"
        if plan.header == "Date and Time":
            return ["Date", "Time"]
        return [{"kind": stated, "no zone": kind, "suffix": stated + " Time", "cut": f"{kind} (",
                 "cut in the zone": f"{kind} ({name[:self.dice('cut').randrange(3, len(name))]}"}.get(plan.header, plan.header)]

    # Rows

    def number(self, column, row, place, dice):
        """Returns the text of a number that no other cell has."""
        number = (row * 64 + place + 1) * column.scale
        if number > 1 and dice.random() < 0.05:
            number = -number
        if column.numbers == "integers":
            text = str(int(number))
        elif column.numbers == "six":
            text = f"{number + dice.random():.6f}"
        else:
            text = f"{number + dice.random() * column.scale:.17g}"
            # The C library of Windows wrote exponents with three digits.
            if "e-0" in text and dice.random() < 0.5:
                text = text.replace("e-0", "e-00")
        if float(text) in self.log.values:
            return self.number(column, row + 1000, place, dice)
        return text

    def mark(self, text):
        return text.replace(".", ",") if self.plan.comma else text

    def damaged(self, dice):
        whole = f"{dice.randrange(1, 99)}"
        return {"letter": self.mark(whole + ".0O4"), "two marks": self.mark(whole + "..5"), "text": "error",
                "thousands": "1.234,5" if self.plan.comma else "1,234.5"}[self.plan.damage]

    def line(self, cells):
        separator = self.plan.separator
        quoted = [f'"{cell}"' if self.plan.quotes or separator in cell or '"' in cell else cell for cell in cells]
        self.lines.append(separator.join(quoted))

    def header(self, first, columns):
        dice, plan = self.dice("heading"), self.plan
        headings = self.first_cells(first) + [column.heading for column in columns]
        fixed = len(headings) - len(columns)
        if plan.own.startswith("comment"):
            headings.append("Comment" if plan.own == "comment" else "Before the restart of SRV1")
        if plan.uneven == "heading without column":
            headings.insert(dice.randrange(fixed, len(headings) + 1), "\\\\SRV1\\Cache\\Copy Reads/sec")
        if plan.uneven == "empty last column":
            headings.append("")
        self.line(headings)

    def row(self, number, moment, first, columns, known):
        plan, log, dice = self.plan, self.log, self.dice(f"row {number}")
        cells, times = self.time_cells(self.local(moment, first)), self.right_times(moment, first)
        fixed, line = len(cells), len(self.lines) + 1
        uneven = number == self.bad_row and plan.uneven in ("more", "fewer", "empty last cell")
        # A last cell without a quote and a line end may have been cut off.
        cut = plan.tail == "nothing" and not plan.quotes and number == self.count - 1
        log.may_fail |= cut
        certain = known and not cut and not uneven and plan.uneven not in ("heading without column", "column without heading")
        # In a few rows, an empty last cell can be that of the last counter, after a cell that was added.
        certain = certain and (plan.uneven != "empty last cells" or self.shortest_run >= 8)
        if number == self.bad_row and plan.damage == "time":
            cells[-1] = "25:61:99" if fixed == 2 else cells[-1].replace(":", ";", 1)
            # A reader may show the values of the row without a time.
            certain, times, log.must_fail, log.named = False, times | {None}, True, cells[-1]
        places = [place for place, column in enumerate(columns) if column.key != ("", "", "", column.heading)]
        bad = dice.choice(places) if number == self.bad_row and places and plan.damage not in ("none", "time") else None
        drop = dice.randrange(len(columns)) if uneven and plan.uneven == "fewer" else None
        for place, column in enumerate(columns):
            text = self.number(column, number, place, dice)
            missing = plan.missing != "none" and dice.random() < 0.25
            cell = Cell(text, column.key, times, certain, line)
            if place == drop:
                continue
            if place == bad:
                cell.text = text = self.damaged(dice)
                log.absent.append(cell)
                log.must_fail, log.named = True, text
                cells.append(text)
            elif missing:
                cell.text = plan.missing
                if plan.missing == "-1" and (plan.states_zone() or plan.numbers != "six"):
                    log.minus_one.append(cell)
                else:
                    log.absent.append(cell)
                cells.append(plan.missing)
            else:
                log.values[float(text)] = cell
                cells.append(self.mark(text))
        if plan.own == "comment":
            cells.append(dice.choice(["", "", "busy day", "restart"]))
        if uneven or plan.uneven == "column without heading":
            if plan.uneven in ("more", "column without heading"):
                place = self.dice("place").randrange(fixed, len(cells) + 1)
                cells.insert(place, self.mark(f"{900000 + number}.250000"))
            log.must_fail |= plan.uneven != "empty last cell"
        if uneven and plan.uneven == "empty last cell" or plan.uneven in ("empty last cells", "empty last column"):
            cells.append("")
        self.line(cells)

    def render(self):
        plan, log = self.plan, self.log
        runs = self.moments()
        all_local = [self.local(moment, run[0]) for run in runs for moment in run]
        # Windows writes the month first: that is the truth if nothing shows another order.
        self.ambiguous_dates = plan.date == "french" and all(local.day <= 12 for local in all_local)
        self.count = count = sum(map(len, runs))
        self.shortest_run = min(map(len, runs))
        self.bad_row = self.dice("bad row").randrange(count)
        log.may_fail |= plan.uneven.startswith("empty") or plan.runs == "rows go back" or plan.part not in ("none", "mark")
        # Local times that go back, where summer time ends, look like those of a clock that was set.
        log.may_fail |= any(b <= a for a, b in zip(all_local, all_local[1:]))
        log.must_fail = plan.uneven == "heading without column"
        columns = self.make_columns("columns")
        if plan.blank_lines == "first":
            self.lines.append("")
        number = 0
        for index, run in enumerate(runs):
            if index and plan.runs != "rows go back":
                if plan.part != "none":
                    self.switch = len(self.lines)
                if plan.runs == "other columns":
                    columns = self.make_columns("other columns")
                if plan.part == "code page":
                    columns = [column if column.heading.isascii() else dataclasses.replace(column, key=None) for column in columns]
            if not index or plan.runs != "rows go back":
                self.header(run[0] if plan.runs != "rows go back" else runs[0][0], columns)
            for moment in run:
                if plan.part != "none" and self.switch is None and plan.runs == "one" and number >= count // 2:
                    self.switch = len(self.lines)
                if plan.blank_lines == "between" and self.dice(f"blank {number}").random() < 0.2:
                    self.lines.append("")
                known = plan.part in ("none", "mark") or self.switch is None
                self.row(number, moment, run[0], columns, known)
                number += 1
        if plan.tail == "typeperf":
            self.lines += ["", "Exiting, please wait...", "The command completed successfully."]
        log.data = self.encode()
        # A column of which no cell has six decimals does not show what -1 is.
        decimals = {cell.key for cell in log.values.values()}
        unsure = [cell for cell in log.absent if cell.text == "-1" and (cell.key is None or cell.key not in decimals)]
        log.absent = [cell for cell in log.absent if cell not in unsure]
        log.minus_one += unsure
        return log

    def encode(self):
        plan, end = self.plan, self.plan.line_end
        lines = [line + end for line in self.lines]
        if plan.tail == "nothing":
            lines[-1] = lines[-1][:-len(end)]
        encoding, mark = ENCODINGS.get(plan.encoding, (plan.encoding, b""))
        switch = len(lines) if self.switch is None else self.switch
        data = mark + "".join(lines[:switch]).encode(encoding)
        if switch < len(lines):
            if plan.part == "code page":
                other, mark = plans.CODE_PAGES[plan.language], b""
            elif plan.part == "mark":
                other = encoding
            else:
                other, mark = ENCODINGS[plan.part]
                mark = mark if plan.part.endswith("mark") else b""
            data += mark + "".join(lines[switch:]).encode(other)
        if plan.tail == "zeroes":
            data += bytes(2 * self.dice("zeroes").randrange(1, 3000))
        return data


def shown(time):
    return time.isoformat(timespec="milliseconds")


def render(plan, has_encoding=True):
    """Returns the log of a plan. Without `has_encoding` no code page is stated to the reader."""
    return Renderer(plan, has_encoding).render()


def write_seeds(folder):
    """Writes a log for each choice, with the plain choices next to it."""
    for name, choices in plans.CHOICES.items():
        for choice in choices[1:]:
            needs = {"zone_words": {"language": "German"}, "date": {"header": "Date and Time"}, "clock": {"header": "Date and Time"},
                     "part": {"encoding": "utf-8 mark" if choice == "mark" else "utf-8"}}
            chosen = needs.get(name, {}) | {name: choice}
            plan = plans.settle(plans.Plan(seed=38, rows=3, columns=2, **chosen))
            if getattr(plan, name) == choice:
                (folder / f"{name}-{plans.word(choice)}".replace("_", "-")).write_bytes(render(plan).data)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--seeds":
        return write_seeds(pathlib.Path(sys.argv[2]))
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    folder, seed = pathlib.Path(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) == 4 else 1
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(seed, seed + int(sys.argv[2])):
        (folder / f"log-{number}.csv").write_bytes(render(plans.draw(number)).data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
