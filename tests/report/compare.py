#!/usr/bin/env python3
"""compare.py HKPD [PAGE INPUT...]: compares every number of a page of `hkpd report` with what `hkpd replay` prints for the
same inputs: the points of all series, their statistics, the facts of the head, and the findings, which are evaluated here
independently of the library (tests/rules/evaluate.py). Prints the number of comparisons and each difference. Without
PAGE: pages that this program makes, of the logs of Windows in HKPD_SHARED_DIR (or ../shared) if it is there, of captures,
and of a log with a planted peak; and of one of these with changed numbers, which must be found."""

import base64
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "rules"))
import evaluate  # noqa: E402
import page as pages  # noqa: E402
import replayed  # noqa: E402
from every_number import Numbers, places_of  # noqa: E402
from troubled import write_log  # noqa: E402

WINDOWS_RULES = ROOT / "lib" / "src" / "rules" / "windows.xml"
SHARED = pathlib.Path(os.environ.get("HKPD_SHARED_DIR") or ROOT.parent / "shared") / "data"


class Maker:
    """Makes pages in a folder, and compares them."""

    def __init__(self, hkpd, folder):
        self.hkpd, self.folder, self.failed = hkpd, pathlib.Path(folder), False

    def run(self, *arguments):
        result = subprocess.run([self.hkpd, *map(str, arguments)], capture_output=True, check=False)
        if result.returncode not in (0, 1):
            sys.exit(f"hkpd {' '.join(map(str, arguments))} ends with {result.returncode}: {result.stderr.decode()}")
        return result.stdout.decode()

    def page(self, inputs, *options):
        path = self.folder / "report.html"
        self.run("report", *inputs, *options, "-o", path)
        return path.read_text(encoding="utf-8")

    def compare(self, name, inputs, rules=None, options=(), baseline=None):
        text = self.page(inputs, *(["--rules", rules] if rules else []), *(["--baseline", baseline] if baseline else []), *options)
        run = replayed.Run(self.hkpd, inputs, options)
        numbers = Numbers(run, text, rules or WINDOWS_RULES, baseline and replayed.Run(self.hkpd, [baseline], options))
        self.show(f"{name}{', ' + pathlib.Path(rules).name if rules else ''}", numbers)
        return run, text, numbers

    def show(self, name, numbers):
        differences = numbers.differences
        for difference in differences[:10]:
            print(f"{name}: {difference}")
        print(f"{name}: {len(numbers.index['series'])} series, {len(numbers.evaluation.findings)} findings, {numbers.compared} comparisons, "
              f"{len(differences)} differ; {len(numbers.evaluation.outside)} thresholds are not evaluated here")
        self.failed = self.failed or bool(differences) or numbers.compared == 0

    def each_threshold(self, evaluation):
        """Each threshold of the rules must find what is planted, in the named series alone."""
        analyses, _ = evaluate.read(WINDOWS_RULES)
        expected = {(analysis.name, threshold.name) for analysis in analyses.values() for threshold in analysis.thresholds}
        found = {(finding["rule"], finding["threshold"]) for finding in evaluation.findings}
        innocent = {finding["instance"] for finding in evaluation.findings} & {"1", "short", "calm", "HarddiskVolume1"}
        if found != expected or innocent:
            self.failed = True
            print(f"a machine in trouble: no finding of {sorted(expected - found)}; findings of {sorted(innocent)}")

    def planted(self):
        """A sample each second, for a day in tests/run.sh --all, of which one has a peak: it must be on the page, at its time."""
        count, where = (86400, 54321) if os.environ.get("HKPD_WHOLE") else (12000, 5432)
        peak = 98.76543
        path = self.folder / "planted.csv"
        self.run("replay", "--simulate", "--count", count, "--interval", 1, "--path", r"\Processor(_Total)\% Processor Time",
                 "--path", r"\Memory\Available Bytes", "--format", "pdh-csv", "-o", path)
        lines = path.read_text(encoding="utf-8").split("\n")
        column = next(i for i, head in enumerate(lines[0].split('","')) if "Processor Time" in head)
        cells = lines[1 + where].split(",")
        cells[column] = f'"{peak}"'
        lines[1 + where] = ",".join(cells)
        path.write_text("\n".join(lines), encoding="utf-8")
        run, text, numbers = self.compare(f"a planted peak in {count} samples", [path])
        (shown,) = [s for s in numbers.index["series"] if s["counter"] == "% Processor Time"]
        intervals = numbers.page.intervals(shown["grid"])
        time = run.times[shown["machine"]][where]
        place = places_of([time], intervals)[0]
        if len(intervals) >= 2000 or numbers.page.buckets(shown)[place].max != peak or shown["max_at"] != time:
            self.failed = True
            print(f"the planted peak of {peak} at {time} is not on the page: {shown}")

    def changed(self, run, text):
        """A page with one changed number must differ: of each kind one."""
        page = pages.Page(text)
        whole = page.root.first("data").attributes["value"]
        for what, change in {
            "a point": lambda t: with_values(t, page), "the maximum of a series": lambda t: with_index(t, page, "max"),
            "the slope of a series": lambda t: with_index(t, page, "slope"),
            "an exact number": lambda t: t.replace(f'<data value="{whole}"', f'<data value="{float(whole) + 1}"', 1),
            "a finding's number": lambda t: with_cell(t, page),
        }.items():
            other = change(text)
            found = Numbers(run, other, WINDOWS_RULES).differences
            if other == text or not found:
                self.failed = True
                print(f"{what} was changed on the page, and not found")


def packed(content):
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(deflater.compress(content) + deflater.flush()).decode()


def with_data(text, page, name, content):
    return text.replace(page.root.first("script", id=name).text(), packed(content))


def with_values(text, page):
    """Flips the lowest bit of the exponent of a double: the last byte of the first series with a value."""
    series = next(s for s in page.index["series"] if s["count"])
    count = len(page.intervals(series["grid"]))
    doubles = sum(state & 3 for state in page.values[series["at"] : series["at"] + count])
    place = series["at"] + count + 8 * doubles - 1
    return with_data(text, page, "hkpd-values", page.values[:place] + bytes([page.values[place] ^ 1]) + page.values[place + 1 :])


def with_index(text, page, key):
    index = copy.deepcopy(page.index)
    series = next(s for s in index["series"] if s.get(key))
    series[key] *= 1.0001
    return with_data(text, page, "hkpd-index", json.dumps(index).encode())


def with_cell(text, page):
    """Changes the first number of the last row of a finding."""
    row = pages.table_rows(next(page.findings()).first("table"))[-1][0]
    value = next(row.all("data")).attributes["value"]
    at = text.rindex(f'<data value="{value}"', 0, text.index("</table>", text.index("<details>")))
    return text[:at] + text[at:].replace(f'"{value}"', f'"{float(value) * 1.01 + 1}"', 1)


def make_all(hkpd):
    with tempfile.TemporaryDirectory() as folder:
        maker = Maker(hkpd, folder)
        troubled = maker.folder / "troubled.csv"
        write_log(troubled)
        run, text, numbers = maker.compare("a machine in trouble", [troubled])
        maker.changed(run, text)
        maker.each_threshold(numbers.evaluation)
        calm = maker.folder / "calm.csv"
        write_log(calm, calm=True)
        maker.compare("a machine in trouble against a calm day", [troubled], baseline=calm)
        maker.planted()
        maker.compare("simulated.mcap", [ROOT / "testdata" / "captures" / "simulated.mcap"])
        capture = maker.folder / "simulated.mcap"
        maker.run("capture", "--simulate", "--count", 45, "--interval", 90, "--processes", 12, "--threads", 20, "-o", capture)
        maker.compare("an hour of a simulated machine", [capture])
        logs = sorted((SHARED / "blg").glob("*.blg")) if SHARED.exists() else []
        for log in logs:
            maker.compare(log.name, [log])
            if log.name.startswith("vista"):
                maker.compare(log.name, [log], SHARED / "pal" / "SystemOverview.xml")
        blobs = SHARED / "v1" / "vista-2007"
        if blobs.exists():
            maker.compare("a directory of blobs", [blobs])
        if not logs:
            print(f"{SHARED} has no logs: not compared")
        return 1 if maker.failed else 0


def main():
    hkpd, *arguments = sys.argv[1:]
    if not arguments:
        return make_all(hkpd)
    page, *inputs = arguments
    maker = Maker(hkpd, ".")
    maker.show(page, Numbers(replayed.Run(hkpd, inputs), pathlib.Path(page).read_text(encoding="utf-8"), WINDOWS_RULES))
    return 1 if maker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
