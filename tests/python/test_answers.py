"""Answers about whole runs: equal to what the command prints for the same input."""

import csv
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import support
import hkpd

INPUTS = [support.SIMULATED, support.DEMO, support.DAMAGED, support.LOG]
if (support.SHARED / "data" / "blg").is_dir():
    INPUTS += sorted((support.SHARED / "data" / "blg").glob("*.blg"))


def printed(*arguments):
    """Returns what the command prints."""
    done = subprocess.run([support.command(), *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr}")
    return done.stdout


def cells(frame):
    """Returns the rows of a data frame as texts and numbers; None for what is missing."""
    times = frame.assign(**{name: frame[name].dt.strftime("%Y-%m-%dT%H:%M:%S.%f").str.slice(0, 23) + "Z" for name in ("from", "to")})
    lists = [times[name].astype(object).where(times[name].notna(), None).tolist() for name in times]
    return [dict(zip(times.columns, row)) for row in zip(*lists)]


def is_same(expected, found):
    if found is None or found == "":
        return expected == ""
    return expected == found if isinstance(found, str) else math.isclose(float(expected), found, rel_tol=0, abs_tol=0)


# Members of the command's rows of processes; here hkpd.processes has them.
COURSE = ("total", "max_time", "growth", "growth_r_squared", "growth_largest_step", "growth_doubt")


@unittest.skipUnless(support.command(), "this build has no command")
class AsTheCommand(unittest.TestCase):
    def compare(self, path, frame, *arguments):
        """Compares all cells of a frame with the CSV of the command. Returns the number of rows."""
        expected = list(csv.DictReader(io.StringIO(printed(*arguments, "--format", "csv", path))))
        for one in expected:
            for name in COURSE:
                one.pop(name, None)
        found = cells(frame)
        self.assertEqual(len(found), len(expected))
        for row, one in zip(found, expected):
            row.pop("label")
            self.assertEqual(list(row), list(one))
            for name, value in row.items():
                self.assertTrue(is_same(one[name], value), f"{path}: {name}: {value!r}, expected {one[name]!r}")
        return len(found)

    def test_summaries_and_tops(self):
        rows = 0
        for path in INPUTS:
            with self.subTest(path), warnings.catch_warnings():
                warnings.simplefilter("ignore", hkpd.DamageWarning)
                rows += self.compare(path, hkpd.summary(path), "replay", "--summary")
                rows += self.compare(path, hkpd.summary(path, sort="max", top=7), "replay", "--summary", "--sort", "max", "--top", "7")
                rows += self.compare(path, hkpd.top(path), "top")
                rows += self.compare(path, hkpd.top(path, sort="slope", top=3), "top", "--sort", "slope", "--top", "3")
                rows += self.compare(path, hkpd.top(path, all_instances=True), "top", "--all-instances")
        self.assertGreater(rows, 2000)

    def test_a_simulated_run(self):
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run.mcap")
            printed("capture", "--simulate", "--count", "60", "--interval", "60", "--seed", "3", "-o", run)
            self.assertEqual(self.compare(run, hkpd.top(run), "top"), 50)
            self.assertGreater(self.compare(run, hkpd.summary(run), "replay", "--summary"), 10_000)
            counters = [r"\Process(*)\Working Set"]
            self.assertEqual(self.compare(run, hkpd.top(run, counters=counters), "top", "--by", counters[0]), 10)

    def test_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = [os.path.join(folder, f"{seed}.mcap") for seed in "39"]
            for run in runs:
                seed = os.path.basename(run)[0]
                objects = ("--object", "Process", "--object", "Memory")
                printed("capture", "--simulate", "--count", "20", "--interval", "60", "--seed", seed, *objects, "-o", run)
            document, frame = json.loads(printed("compare", *runs, "--format", "json")), hkpd.compare(*runs)
        self.assertGreater(len(frame), 10)
        self.assertEqual(len(frame), len(document["changes"]))
        for name in ("samples_before", "samples_after", "unchanged", "sums"):
            self.assertEqual(frame.attrs[name], document[name])
        self.assertEqual(frame.attrs["only_after"], len(document["only_after"]))
        for row, one in zip(frame.to_dict("records"), document["changes"]):
            for name in ("machine", "object", "instance", "is_sum", "counter", "median_effect", "p95_effect", "noise"):
                self.assertEqual(row[name], one[name])
            for side in ("before", "after"):
                for name in ("count", "p50", "p95", "max", "min", "mean"):
                    self.assertEqual(row[f"{side}_{name}"], one[side][name])

    def test_overviews(self):
        for path in INPUTS:
            with self.subTest(path):
                document, found = json.loads(printed("info", "--format", "json", path))["inputs"][0], hkpd.overview(path)
                self.assertEqual(found.kind, document["kind"])
                self.assertEqual(found.samples, document["samples"])
                self.assertEqual([one.name for one in found.objects], [one["name"] for one in document["objects"]])
                self.assertEqual([one.instances for one in found.objects], [one["instances"] for one in document["objects"]])

    def test_findings(self):
        count = 0
        for path in [*INPUTS, support.TESTDATA / "captures"]:
            with self.subTest(path):
                document, found = json.loads(printed("check", "--format", "json", path)), hkpd.check(path)
                self.assertEqual(len(found.findings), len(document["findings"]))
                self.assertEqual(found.samples, document["summary"]["samples"])
                self.assertEqual(found.is_good, found.fault_counts.warnings + found.fault_counts.errors == 0)
                for one, expected in zip(found.findings, document["findings"]):
                    self.assertEqual(one.fault.code, expected["code"])
                    self.assertEqual(one.fault.severity.name.lower(), expected["severity"])
                    self.assertEqual(one.event, expected["perflib_event"])
                    names = (one.machine, one.object, one.instance, one.rule, one.repair)
                    keys = ("machine", "object_name", "instance_name", "rule", "repair")
                    self.assertEqual(names, tuple(expected[key] or None for key in keys))
                    count += 1
        self.assertGreater(count, 20)

    def test_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            for path, rest, keywords in (
                (support.SIMULATED, (), {}),
                (support.DEMO, ("--title", "A <title>", "--theme", "dark"), {"title": "A <title>", "theme": "dark"}),
                (support.SIMULATED, ("--baseline", str(support.DEMO)), {"baseline": support.DEMO}),
            ):
                printed("report", path, *rest, "-o", page)
                found = hkpd.report(path, **keywords)
                with open(page, encoding="utf-8", newline="") as file:
                    self.assertEqual(found.page, file.read())
                found.save(page)
                self.assertEqual(os.path.getsize(page), len(found.page.encode()))

    def test_findings_of_a_report(self):
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run.mcap")
            printed("capture", "--simulate", "--count", "120", "--interval", "60", "--seed", "3", "-o", run)
            rules = str(support.TESTDATA / "busy.xml")
            [document] = json.loads(printed("check", "--rules", rules, "--format", "json", run))["rules"]
            found = hkpd.report(run, rules=rules)
        self.assertGreater(len(document["findings"]), 0)
        self.assertEqual(len(found.findings), len(document["findings"]))
        for one, expected in zip(found.findings, document["findings"]):
            self.assertEqual((one.analysis, one.threshold), (expected["rule"], expected["threshold"]))
            self.assertEqual("critical" if one.is_critical else "warning", expected["severity"])
            for name in ("machine", "object", "instance", "counter", "limit", "slope"):
                self.assertEqual(getattr(one, name), expected[name])
            if one.slope is None:
                self.assertEqual((one.values, one.exceeding, one.worst), (expected["values"], expected["exceeding"], expected["worst"]))
                self.assertEqual(one.exceeding_time / 1e9, expected["exceeding_seconds"])

    def test_programs_print_the_same_rows(self):
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(hkpd.__file__))}
        rows, example = support.ROOT / "tests" / "examples" / "rows.py", support.ROOT / "tools" / "examples" / "top.py"
        for answer, program in (("top", example), ("summary", rows), ("check", rows)):
            with self.subTest(answer):
                arguments = [support.ROOT / "tests" / "examples" / "compare.py", answer, support.command(), sys.executable, program]
                done = subprocess.run([sys.executable, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Answers(unittest.TestCase):
    def test_processes_are_rows(self):
        found = hkpd.processes(support.SIMULATED, top=5)
        self.assertEqual(len(found), 5)
        self.assertTrue(found["processor_mean"].is_monotonic_decreasing)
        self.assertTrue((found["working_set"] > 0).all())
        series = hkpd.top(support.SIMULATED, top=5)
        self.assertEqual(found["pid"].tolist(), series["pid"].drop_duplicates().tolist())
        memory = series[series["counter"] == "Private Bytes"]
        self.assertEqual(found["private_growth"].tolist(), memory["slope"].tolist())

    def test_labels_are_unique(self):
        frame = hkpd.summary(support.SIMULATED, counters=[r"\Process(*)\Working Set"])
        self.assertTrue(frame["label"].is_unique)
        self.assertFalse(frame["instance"].is_unique)

    def test_damage_warns_and_an_overview_lists_it(self):
        with self.assertWarns(hkpd.DamageWarning):
            hkpd.summary(support.DAMAGED)
        self.assertTrue(any(fault.code == "object_length" for fault in hkpd.overview(support.DAMAGED).faults))

    def test_what_cannot_be_read(self):
        with self.assertRaises(hkpd.OpenError):
            hkpd.top("no such file")
        with self.assertRaises(hkpd.ArgumentError):
            hkpd.top(support.DEMO, counters=["no path"])
        with self.assertRaises(ValueError):
            hkpd.summary(support.DEMO, sort="median")
        with self.assertRaises(ValueError):
            hkpd.top(support.DEMO, top=0)
        self.assertEqual(hkpd.overview("no such file").kind, "unknown")

    def test_reports_that_cannot_be_made(self):
        for keywords, error in (
            ({"rules": "no such file"}, hkpd.OpenError),
            ({"baseline": "no such file"}, hkpd.OpenError),
            ({"answers": {"NoSuchQuestion": 1}}, hkpd.ArgumentError),
            ({"theme": "blue"}, ValueError),
        ):
            with self.assertRaises(error):
                hkpd.report(support.DEMO, **keywords)

    def test_rules_without_the_file_that_they_inherit(self):
        with tempfile.TemporaryDirectory() as folder:
            heir = pathlib.Path(folder) / "heir.xml"
            heir.write_text("<PAL><INHERITANCE FILEPATH='none.xml'/></PAL>", encoding="utf-8")
            with self.assertRaisesRegex(hkpd.OpenError, "none.xml"):
                hkpd.report(support.DEMO, rules=str(heir))

    def test_a_run_without_rows(self):
        frame = hkpd.summary(support.DEMO, counters=[r"\No such object\counter"])
        self.assertEqual(len(frame), 0)
        self.assertIn("mean", frame.columns)


if __name__ == "__main__":
    unittest.main()
