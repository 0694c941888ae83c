"""Runs hkpd and takes its outputs apart; counts what was compared."""

import collections
import csv
import io
import json
import re
import sqlite3
import subprocess
import tempfile

IDENTITY = ("parent", "instance", "pid", "instance_id", "life")
COLUMNS = ("time,machine,source,object,object_index,counterset,parent,instance,pid,instance_id,life,pdh_instance,"
           "counter,counter_index,type,raw,value,reason").split(",")


def folded(text):
    """Returns text as names are compared: each character by itself, regardless of case."""
    if text is None:
        return None
    return "".join(lower if len(lower := c.upper().lower()) == 1 else c for c in text)


class Report:
    """Counts comparisons for each output, and shows the first differences of each."""

    def __init__(self, show):
        self.show = show
        self.compared, self.differ, self.notes = collections.Counter(), collections.Counter(), collections.Counter()

    def equal(self, output, where, found, expected):
        self.compared[output] += 1
        if found != expected:
            self.difference(output, f"{where}\n    found    {found}\n    expected {expected}")
        return found == expected

    def difference(self, output, text):
        self.differ[output] += 1
        if self.differ[output] <= self.show:
            print(f"{output}: {text}", flush=True)

    def note(self, text, count=1):
        self.notes[text] += count

    def line(self, text):
        print(text, flush=True)

    def end(self):
        for output in sorted(self.compared | self.differ):
            print(f"{output:24} {self.compared[output]:9} compared, {self.differ[output]} differ")
        for text, count in sorted(self.notes.items()):
            print(f"note: {count} {text}")
        differ = sum(self.differ.values())
        print(f"{sum(self.compared.values())} comparisons, {differ} differ")
        return 1 if differ or not self.compared else 0


class Command:
    def __init__(self, hkpd):
        self.hkpd = hkpd

    def result(self, *arguments):
        """Returns exit code and output."""
        ended = subprocess.run([self.hkpd, *map(str, arguments)], capture_output=True, check=False)
        return ended.returncode, ended.stdout.decode("utf-8", "replace"), ended.stderr.decode("utf-8", "replace")

    def text(self, *arguments):
        """Returns the output of a command that must succeed; of one whose filter matches nothing, nothing."""
        code, out, error = self.result(*arguments)
        if code not in (0, 1, 2) or code == 2 and "match" not in error and "no " not in error:
            raise RuntimeError(f"hkpd {' '.join(map(str, arguments))} ends with {code}: {error[:2000]}")
        return out if code != 2 else ""

    def has_columns(self, path, report):
        head = self.text("replay", path, "--format", "csv").split("\n", 1)[0].strip()
        return report.equal("columns", "replay --format csv does not have the columns of identities", head.split(","), COLUMNS)

    def jsonl(self, *arguments):
        return [json.loads(line) for line in self.text(*arguments, "--format", "jsonl").splitlines()]

    def csv(self, *arguments):
        """Returns rows with the types of JSON Lines."""
        rows = list(csv.DictReader(io.StringIO(self.text(*arguments, "--format", "csv"), newline="")))
        for row in rows:
            for key in ("pid", "instance_id", "life", "object_index", "counter_index", "raw"):
                if key in row:
                    row[key] = int(row[key]) if re.fullmatch(r"-?\d+", row[key] or "") else None
            row["parent"] = row.get("parent") or None
        return rows

    def json(self, *arguments):
        return json.loads(self.text(*arguments, "--format", "json") or '{"samples":[],"rows":[]}')

    def pdh(self, *arguments):
        """Returns for each cell with a value: time, column, value as text."""
        lines = list(csv.reader(io.StringIO(self.text(*arguments, "--format", "pdh-csv"), newline="")))
        columns = lines[0][1:] if lines else []
        for line in lines[1:]:
            for column, cell in zip(columns, line[1:]):
                if cell.strip():
                    yield line[0], column, cell

    def database(self, query, *arguments):
        """Returns the rows of a query of the database that a command writes, or the error."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/run.db"
            self.text(*arguments, "--format", "sqlite", "-o", path)
            connection = sqlite3.connect(path)
            connection.row_factory = sqlite3.Row
            try:
                return connection.execute(query).fetchall(), None
            except sqlite3.Error as error:
                return [], str(error)

    def metrics(self, *arguments):
        """Returns for each point: object and counter of the metric's help, labels, value, time."""
        helps, points = {}, []
        for line in self.text(*arguments, "--format", "openmetrics").splitlines():
            if found := re.fullmatch(r"# HELP (\S+) (.*?): (.*) \((\w+)\)", line):
                helps[found[1]] = (found[2], found[3])
            elif line.startswith("#"):
                continue
            else:
                found = re.fullmatch(r"([^{ ]+)(?:\{(.*)\})? (\S+) (\S+)", line)
                labels = {}
                for name, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2] or ""):
                    labels[name] = re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), value)
                points.append((helps.get(found[1]) or helps.get(found[1].rsplit("_", 1)[0]), labels, float(found[3]), float(found[4])))
        return points

    def summary_labels(self, object_name, counter, *arguments):
        """Returns machine, label, and the cells of each line of a summary as text, which shows one counter."""
        begin, end, machine = f"\\{object_name}(", f")\\{counter}", None
        head = ""
        for line in self.text(*arguments, "--summary").splitlines():
            if line.startswith("machine "):
                machine = line[8:].split(",")[0]
            elif re.match(r" +unit", line):
                head = line
            elif line.startswith(begin) and end in line:
                at = line.rindex(end)
                yield machine, line[len(begin):at], {name: line[:stop].split()[-1] for name, stop in
                                                    [(m[0], m.end()) for m in re.finditer(r"\S+", head)] if name == "min"}

    def timeline(self, *arguments):
        """Returns for each value of a timeline of one counter: time, heading without spaces (None if there is only one column and
        the title names it), title, value."""
        title, heading, columns = None, [], None
        for line in self.text(*arguments, "--format", "timeline").splitlines():
            if line.startswith("\\\\"):
                title, heading, columns = line, [], None
            elif not line:
                continue
            elif columns is None:
                heading.append(line)
                if line.startswith("time"):
                    columns = columns_of(heading)
            else:
                for begin, end, name in columns:
                    cell = line[begin:end].strip()
                    if re.fullmatch(r"-?\d+(\.\d+)?", cell):
                        yield line[:23], name, title, cell


def columns_of(heading):
    """Returns begin, end and name of each column: they are aligned right, and two spaces apart."""
    last = heading[-1]
    ends = [match.end() for match in re.finditer(r"\S+(?: \S+)*(?=  |$)", last)][1:]
    begin, columns = len("2020-09-13 12:26:00.000"), []
    for end in ends:
        columns.append((begin, end, "".join("".join(line[begin:end].split()) for line in heading)))
        begin = end
    return columns
