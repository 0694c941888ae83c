#!/usr/bin/env python3
"""run.py HKPD [--count N] [--seed S] [--keep FOLDER] [--without NAME=WORD]...: reads text logs of all kinds, and compares.

generate.py draws each log from all kinds at once and knows the truth about it. Of what `hkpd replay --format jsonl` prints,
each value must be exact, at its counter and its time; where there is none, a reason must be stated; and if a row or a value was
lost, the exit code must not be 0. A failure is reduced to the smallest log that shows it, which is kept in FOLDER next to its
options.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import generate
import plan as plans

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import missing


@dataclasses.dataclass
class Result:
    exit_code: int
    failures: list       # (kind, what was expected and found)
    values: int = 0      # exact ones
    absent: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # by reason
    faulted: int = 0     # values left out with a fault, of rows in which they are not certain
    wrong: int = 0


class Comparison:
    """What is printed of one log, against the truth."""

    def __init__(self, log, exit_code, lines, messages):
        self.log, self.lines, self.messages = log, lines, messages
        self.result = Result(exit_code, [])

    def fail(self, kind, details):
        self.result.failures.append((kind, details))

    def key(self, line):
        if line["counter"] in self.log.own:
            return "", "", "", line["counter"]
        return line["machine"] or "", line["object"], line["pdh_instance"], line["counter"]

    def check_value(self, line, value, seen):
        log, key = self.log, self.key(line)
        cell = log.values.get(value)
        if cell is None:
            if value == -1 and any(line["time"] in cell.times and cell.key in (None, key) for cell in log.minus_one):
                self.result.values += 1
                return
            where = [cell for cell in log.absent if line["time"] in cell.times and cell.key in (None, key)]
            kind = f"a value for {where[0].text!r}" if value == -1 and where else "a value that is not in the log"
            self.result.wrong += 1
            return self.fail(kind, f"{line['time']} {key}: {value}")
        if value in seen:
            self.result.wrong += 1
            return self.fail("a value twice", f"{line['time']} {key}: {value}")
        seen.add(value)
        if cell.key not in (None, key):
            self.result.wrong += 1
            return self.fail("a value of another counter", f"line {cell.line}: expected {cell.key}, found {key}: {value}")
        if line["time"] not in cell.times:
            self.result.wrong += 1
            return self.fail("a wrong time", f"line {cell.line}: expected {sorted(map(str, cell.times))}, found {line['time']}")
        self.result.values += 1

    def compare(self):
        log, code, seen, empty = self.log, self.result.exit_code, set(), collections.Counter()
        for line in self.lines:
            if line["value"] is not None:
                self.check_value(line, line["value"], seen)
                if line["raw"] != line["value"]:
                    self.fail("raw differs", f"{line['raw']} and {line['value']}")
                continue
            reason = line["reason"]
            self.result.absent[reason] += 1
            if not reason:
                self.fail("no reason", f"{line['time']} {self.key(line)}")
            empty[line["time"], self.key(line)] += 1
        lost = [cell for value, cell in log.values.items() if value not in seen]
        certain = [cell for cell in lost if cell.certain]
        self.result.faulted += len(lost) - len(certain)
        if code == 0 and lost:
            self.fail("exit 0 with a loss", f"line {lost[0].line}: {lost[0].text} of {lost[0].key}, and {len(lost) - 1} more")
        elif code == 0 and log.must_fail:
            self.fail("exit 0 with a damaged log", f"{log.named or log.plan.uneven}")
        elif certain:
            self.fail("a certain value is lost", f"line {certain[0].line}: {certain[0].text} of {certain[0].key}, "
                                                 f"and {len(certain) - 1} more")
        elif code != 0 and not (log.must_fail or log.may_fail):
            self.fail(f"exit {code} without a loss", self.messages.strip().splitlines()[:1])
        if code not in (0, 1) and not lost:
            self.fail(f"exit {code}", self.messages.strip().splitlines()[:1])
        # A row that was read has a line for each cell without a value, too, but not for a comment, which is a heading of a
        # person's own without any number.
        if not lost:
            numbers = {cell.key for cell in log.values.values()}
            for cell in log.absent:
                known = cell.certain and cell.key is not None and (cell.key in numbers or not log.own)
                if known and not any(empty[time, cell.key] for time in cell.times):
                    self.fail("an absent value without a line", f"line {cell.line}: {cell.text!r} of {cell.key}")
                    break
        if log.named and code == 1 and log.named not in self.messages:
            self.fail("a damaged cell is not named", f"{log.named!r} is not in: {self.messages.strip()}")
        return self.result


class Run:
    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        help_text = subprocess.run([command, "replay", "--help-all"], capture_output=True, text=True, check=False).stdout
        self.has_encoding = "--encoding" in help_text

    def compare(self, plan):
        log = generate.render(plan, self.has_encoding)
        path = pathlib.Path(self.folder) / f"{threading.get_ident()}.csv"
        path.write_bytes(log.data)
        done = self.call("replay", "--verbose", "--format", "jsonl", *log.options, path)
        messages = done.stderr.decode("utf-8", "replace").replace(str(path), "log.csv")
        try:
            lines = [json.loads(line) for line in done.stdout.splitlines()]
        except ValueError as error:
            return Result(done.returncode, [("not JSON", str(error))])
        result = Comparison(log, done.returncode, lines, messages).compare()
        if plan.seed % 8 == 0:
            # The same log as a stream, which is not sought in, and what `check` concludes from it.
            piped = self.call("replay", "--verbose", "--format", "jsonl", *log.options, "-", input=log.data)
            if piped.stdout != done.stdout or piped.returncode != done.returncode:
                result.failures.append(("standard input differs", f"exit {done.returncode} and {piped.returncode}"))
            checked = self.call("check", *log.options, path)
            if checked.returncode == 0 and (log.must_fail or done.returncode != 0):
                result.failures.append(("check: exit 0 with a damaged log", f"replay: exit {done.returncode}"))
        return result

    def call(self, *arguments, **options):
        return subprocess.run([self.command, *arguments], capture_output=True, check=False, timeout=60, **options)

    def reduce(self, plan, kind):
        """Returns the simplest plan that still shows a kind of failure."""
        tried = 0
        while tried < 300:
            for simple in plans.simpler(plan):
                tried += 1
                if simple != plan and any(found == kind for found, _ in self.compare(simple).failures):
                    plan = simple
                    break
            else:
                break
        return plan


def choices_of(plan):
    """Returns what makes a plan different from the plain one."""
    plain = plans.Plan(0)
    return {field.name: getattr(plan, field.name) for field in dataclasses.fields(plan)
            if field.name not in ("seed", "rows", "columns") and getattr(plan, field.name) != getattr(plain, field.name)}


def keep(run, folder, number, kind, plan):
    """Keeps the log of a plan, and what was expected and found."""
    log, result = generate.render(plan, run.has_encoding), run.compare(plan)
    stem = folder / f"{number:02} {re.sub('[^a-z0-9]+', '-', kind.lower()).strip('-')}"
    stem.with_suffix(".csv").write_bytes(log.data)
    details = "\n".join(f"{found}: {text}" for found, text in result.failures)
    stem.with_suffix(".txt").write_text(f"seed {plan.seed}\nchoices {choices_of(plan)}\noptions {log.options}\nexit {result.exit_code}\n"
                                        f"{details}\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hkpd")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--without", action="append", default=[], help="a choice that is left out, as NAME=WORD: line_end=cr")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    try:
        generate.zoneinfo.ZoneInfo("Europe/Berlin")
    except generate.zoneinfo.ZoneInfoNotFoundError:
        return missing.report("rules of time zones: package tzdata")

    reduced_logs = 12
    total, codes, examples, counts = Result(0, []), collections.Counter(), {}, collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        run = Run(given.hkpd, folder)
        drawn = [plans.without(plans.draw(seed), given.without) for seed in range(given.seed, given.seed + given.count)]
        for plan, result in zip(drawn, pool.map(run.compare, drawn)):
            codes[result.exit_code] += 1
            total.values += result.values
            total.absent += result.absent
            total.faulted += result.faulted
            total.wrong += result.wrong
            for kind in {kind for kind, _ in result.failures}:
                counts[kind] += 1
                examples.setdefault(kind, []).append(plan)
        by_code = ", ".join(f"exit {code}: {count}" for code, count in sorted(codes.items()))
        print(f"{given.count} logs from seed {given.seed}: {by_code}")
        print(f"{total.values} values are exact, {total.wrong} are wrong, {total.faulted} are left out with a fault")
        print("absent: " + ", ".join(f"{reason} {count}" for reason, count in total.absent.most_common()))
        number = 0
        for kind, count in counts.most_common():
            print(f"failed: {kind}: {count} logs")
            # Different choices show different faults: each set of choices that is left counts.
            reduced = {}
            for plan in pool.map(lambda one, kind=kind: run.reduce(one, kind), examples[kind][:reduced_logs]):
                reduced.setdefault(str(choices_of(plan)), []).append(plan)
            for choices, same in sorted(reduced.items(), key=lambda item: -len(item[1])):
                smallest = min(same, key=lambda one: len(generate.render(one, run.has_encoding).data))
                number += 1
                details = next(text for found, text in run.compare(smallest).failures if found == kind)
                print(f"  {number}: {len(same)} of {len(examples[kind][:reduced_logs])}: {choices} (seed {smallest.seed}): {details}")
                if given.keep:
                    given.keep.mkdir(parents=True, exist_ok=True)
                    keep(run, given.keep, number, kind, smallest)
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
