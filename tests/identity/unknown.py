"""Inputs whose truth is not known: oracle.py computes who is who from raw values, and each output must agree with it and with the
others."""

import collections
import json
import random

from command import IDENTITY, folded
from oracle import Oracle

LARGE = 4_000_000  # bytes of JSON Lines; of larger inputs fewer outputs are compared
FIELDS = (*IDENTITY, "pdh_instance")


def fields_of(line, names=FIELDS):
    return tuple(folded(line[name]) if name in ("parent", "instance", "pdh_instance") else line[name] for name in names)


def counter_of(line):
    """Machine, source, object and counter, which have numbers where they have no names."""
    name = line["object"] or f"#{line['object_index']}"
    counter = line["counter"] or f"#{line['counter_index']}"
    return (line["machine"] or None, line["source"], name, line["object_index"], line["counterset"] or None, counter, line["counter_index"])


def is_escaped(texts):
    """Whether one of these texts of an output has characters that it writes in another way."""
    return any(isinstance(text, str) and ("\\x" in text or "\\u" in text) for text in texts)


def of_line(line):
    return (line["time"], *fields_of(line), line["raw"])


class Input:
    def __init__(self, command, report, path, folder):
        self.command, self.report, self.path, self.folder = command, report, path, folder
        self.name = "/".join(path.parts[-3:])

    def check(self):
        """Returns whether hkpd reads samples from it."""
        self.arguments = [self.path]
        code, text, _ = self.command.result("dump", *self.arguments, "--format", "json")
        if code not in (0, 1) and "v2" in str(self.path):
            self.arguments = ["--v2", self.path]
            code, text, _ = self.command.result("dump", *self.arguments, "--format", "json")
        if code not in (0, 1):
            return False
        document = json.loads(text)
        if not any(sample["objects"] for sample in document["samples"]):
            return False
        expected = self.document("dump json", document)
        replayed = self.command.json("replay", *self.arguments)
        self.document("json", replayed)
        lines = self.command.jsonl("replay", *self.arguments)
        self.lines(lines, expected)
        self.csv(lines)
        if lines:
            self.one_interface(lines)
        return True

    def document(self, output, document):
        """Compares all instances of a document with the oracle; returns the fields of each instance of each sample that has a name."""
        oracle, all_fields = Oracle(), []
        for sample in document["samples"]:
            for table, expected in zip(sample["objects"], oracle.take(sample)):
                if expected is None:
                    continue
                for row, fields in zip(table["instances"], expected):
                    found = {name: row.get(name) for name in FIELDS}
                    if isinstance(found["parent"], dict):
                        found["parent"] = found["parent"]["name"]
                    for name in ("parent", "instance", "pdh_instance"):
                        found[name] = folded(found[name])
                    if fields is None:
                        fields = {**found, "instance": None, "pid": None, "instance_id": None, "life": None, "pdh_instance": None}
                    self.report.equal(output, f"{self.name}: {sample['source']} {sample['machine']} {table['name']}({row['name']})"
                                              f" {sample['system_time']}", found, fields)
                    all_fields.append((sample["machine"], sample["source"], tuple(fields[name] for name in FIELDS)))
        return all_fields

    def lines(self, lines, expected):
        """Lines are in the order of the document: one instance after the other."""
        found = collections.Counter((line["machine"], line["source"], fields_of(line)) for line in lines if line["pdh_instance"])
        for key in sorted(set(found) - set(expected), key=str):
            self.report.difference("jsonl", f"{self.name}: {key} is not in the document")
        self.report.compared["jsonl"] += len(lines)
        # Each value belongs to one identity.
        seen = collections.Counter((line["time"], *counter_of(line), fields_of(line, IDENTITY)) for line in lines if line["instance"])
        times = collections.Counter((line["time"], *counter_of(line), fields_of(line, ("pdh_instance",))) for line in lines if line["instance"])
        for key, count in seen.items():
            if count > 1 and (*key[:-1], (None,)) not in times and max(times.values()) == 1:
                self.report.difference("jsonl", f"{self.name}: {count} values at one time of {key}")

    def csv(self, lines):
        rows = self.command.csv("replay", *self.arguments)
        names = ("source", "pid", "instance_id", "life")
        for row, line in zip(rows, lines):
            if not all(name is None or name.isprintable() for name in (line["machine"], line["object"], line["counter"], line["instance"])):
                continue  # written in another way
            texts = {name: line[name] or "" for name in ("time", "instance", "pdh_instance", "parent")}
            self.report.equal("csv", f"{self.name}: line of csv and of jsonl", [counter_of(row), *(row[name] for name in names), *(row[name] or "" for name in texts)],
                              [counter_of(line), *(line[name] for name in names), *texts.values()])
        self.report.equal("csv", f"{self.name}: lines", len(rows), len(lines))

    # ---- outputs of one interface ----

    def one_interface(self, lines):
        source, self.repeated = lines[0]["source"], set()
        options = ["replay", *self.arguments, "--source", source]
        values = collections.defaultdict(list)
        for line in lines:
            if line["source"] == source:
                values[(*counter_of(line), fields_of(line, IDENTITY))].append(line)
        # A counter that a sample has twice, or samples of one time, are several series of one name.
        for key in [key for key, found in values.items() if len({line["time"] for line in found}) < len(found)]:
            self.report.note("series of which values of one time are not distinct: not compared")
            self.repeated.add(key)
        self.summaries(options, values)
        self.database(options, values)
        self.metrics(options, values)
        self.buckets(options, values)
        self.selection(options, values)

    def summaries(self, options, values):
        rows = self.command.csv(*options, "--summary")
        for row in rows:
            key = (*counter_of(row), fields_of(row, IDENTITY))
            if key not in self.repeated and not is_escaped(row.values()):
                self.compare_series("summary csv", key, row, values)
        keys = collections.Counter((*counter_of(row), fields_of(row, IDENTITY)) for row in rows)
        for key, count in keys.items():
            if key in self.repeated:
                continue
            self.report.equal("summary csv", f"{self.name}: lines of {key}", count, 1)

    def compare_series(self, output, key, row, values):
        found = values.get(key)
        if found is None:
            key = (*key[:-1], tuple(field or None if isinstance(field, str) else field for field in key[-1]))
            found = values.get(key)
        if found is None and row["instance"] == "":  # objects without instances
            return
        if found is None:
            self.report.equal(output, f"{self.name}: a series that no value of jsonl has", key, None)
            return
        numbers = [line["value"] for line in found if line["value"] is not None]
        self.report.equal(output, f"{self.name}: count of {key}", int(row["count"]), len(numbers))
        if numbers and row["min"]:
            self.report.equal(output, f"{self.name}: minimum and maximum of {key}", (float(row["min"]), float(row["max"])), (min(numbers), max(numbers)))

    def buckets(self, options, values):
        counts = collections.Counter()
        for row in self.command.csv(*options, "--bucket", "1d"):
            if row["instance"] and not is_escaped(row.values()):
                counts[(*counter_of(row), fields_of(row, IDENTITY))] += int(row["count"])
        for key, count in counts.items():
            self.report.equal("bucket csv", f"{self.name}: count of {key}", count, len([line for line in values.get(key, []) if line["value"] is not None]))

    def database(self, options, values):
        query = "SELECT * FROM data JOIN series ON series.id = series JOIN records ON records.id = record"
        rows, error = self.command.database(query, *options)
        if error:
            if "no such table: data" not in error:  # no samples
                self.report.difference("sqlite", f"{self.name}: {error}")
            return
        known = collections.defaultdict(set)
        for key, lines in values.items():
            for line in lines:
                if line["value"] is not None:
                    known[(line["machine"], line["object"], line["counter"], (line["time"] or "")[:19].replace("T", " "))].add((key[-1], line["value"]))
        for row in map(dict, rows):
            missing = [name for name in IDENTITY if name not in row]
            if missing:
                self.report.difference("sqlite", f"{self.name}: no {', '.join(missing)}")
                return
            if row["instance"] and row["value"] is not None and not is_escaped(row.values()):
                at = known.get((row["machine"], row["object"], row["counter"], (row["time"] or "")[:19]), set())
                if at:
                    self.report.equal("sqlite", f"{self.name}: value of {row}", (fields_of(row, IDENTITY), row["value"]) in at, True)

    def metrics(self, options, values):
        known = {(key[0], *[str(field) if field is not None else None for field in key[-1][:3]], key[-1][4]) for key in values}
        for name, labels, _, _ in self.command.metrics(*options):
            if "instance" in labels and name is not None and not is_escaped(labels.values()):
                key = (labels.get("machine"), folded(labels.get("parent")), folded(labels["instance"]), labels.get("pid"), int(labels.get("life", 1)))
                self.report.equal("openmetrics", f"{self.name}: identity of {labels} of {name}", key in known, True)

    # ---- names given back ----

    def selection(self, options, values):
        """Gives some names of each object back: places, and the display of summaries."""
        dice = random.Random(self.name)
        groups = collections.defaultdict(dict)
        for key, lines in values.items():
            if lines[0]["instance"]:
                groups[key[:7]][key[-1]] = lines
        chosen = dice.sample(sorted(groups, key=str), min(8, len(groups)))
        for group in chosen:
            machine, _, name, _, _, counter, _ = group
            if any(c in f"{machine}{name}{counter}" for c in "\\*?()#") or not machine:
                continue
            self.places(options, group, groups[group], dice)
            self.displays(options, group, groups[group], dice)

    def rows_at(self, options, group, label):
        path = f"\\\\{group[0]}\\{group[2]}({label})\\{group[5]}"
        return sorted((of_line(line) for line in self.command.jsonl(*options, "--path", path) if counter_of(line) == group), key=str)

    @staticmethod
    def is_plain(label):
        return label and not any(c in label for c in "*?\\") and label.isprintable()

    def places(self, options, group, series, dice):
        of_place = collections.defaultdict(list)
        for lines in series.values():
            for line in lines:
                of_place[folded(line["pdh_instance"])].append(line)
        labels = [label for label in sorted(of_place) if self.is_plain(label)]
        for label in dice.sample(labels, min(6, len(labels))):
            lines = of_place[label]
            if len({line["time"] for line in lines}) < len(lines):
                continue  # two of one place: real names like places, or samples of one time
            expected = sorted(map(of_line, lines), key=str)
            self.same("path with place", group, label, self.rows_at(options, group, lines[0]["pdh_instance"]), expected)

    def displays(self, options, group, series, dice):
        path = f"\\\\{group[0]}\\{group[2]}(*)\\{group[5]}"
        rows = [row for row in self.command.csv(*options, "--path", path, "--summary") if row["instance"]]
        labels = [label for _, label, _ in self.command.summary_labels(group[2], group[5], *options, "--path", path)]
        if len(labels) != len(rows):
            return  # several objects of one name, or names that text shows in another way
        if any((*group, identity) in self.repeated for identity in series):
            return
        self.report.equal("summary text", f"{self.name}: labels of {path}, each once", [label for label, count in collections.Counter(labels).items() if count > 1], [])
        for label, row in dice.sample(list(zip(labels, rows)), min(6, len(labels))):
            lines = series.get(fields_of(row, IDENTITY))
            if lines is None or not self.is_plain(label):
                continue
            expected = sorted(map(of_line, lines), key=str)
            self.same("path with display", group, label, self.rows_at(options, group, label), expected)

    def same(self, output, group, label, found, expected):
        self.report.compared[output] += 1
        if found != expected:
            additional = [row for row in found if row not in expected]
            missing = [row for row in expected if row not in found]
            self.report.difference(output, f"{self.name}: \\{group[2]}({label})\\{group[5]} of {group[0]}: {len(found)} values of {len(expected)};"
                                           f" additional {additional[:2]}, missing {missing[:2]}")
