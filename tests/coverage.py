#!/usr/bin/env python3
"""Prints the counts of gcov in a build tree for the sources that read untrusted bytes: a table, the lines that were not
reached, and whether a list has a reason for each of them.

A line of the list is `FILE: TEXT: REASON`, TEXT being the unreached line without the blanks around it. There is one for each
such line: two if two lines of a file are the same. Empty lines and lines that begin with # are ignored."""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARSERS = """
    base/guid.cpp base/stream_window.cpp base/text/encoding.* base/text/located_text.* base/text/names.*
    base/text/posix/code_page.cpp base/time_zone.cpp blg/* capture/channels.* capture/reader* mcap/chunk.* mcap/file.*
    mcap/records.* names/* sample/fill/* sample/grouping.* sample/sample.cpp select/* source/files.cpp source/sample_reader.*
    source/v2_files.* v1/block* v1/decode.hpp v1/instance.cpp v1/object* v2/*
""".split()


def counts_of(gcov, counted):
    """Returns each source of an object, and how often each of its lines ran."""
    run = subprocess.run([gcov, "--json-format", "--stdout", counted], capture_output=True, check=True)
    counts = json.loads(run.stdout)
    return [(pathlib.Path(os.path.normpath(os.path.join(counts["current_working_directory"], file["file"]))),
             file["lines"]) for file in counts["files"]]


def is_parser(source):
    return any(fnmatch.fnmatch(source, pattern) for pattern in PARSERS)


def gather(gcov, tree):
    """Returns source below lib/src -> line -> how often it ran, over all objects and all instances of templates."""
    # Objects that never ran have no counts, only lines: those are not reached.
    objects = [path.with_suffix(".gcda") if path.with_suffix(".gcda").exists() else path
               for path in sorted(pathlib.Path(tree).rglob("*.gcno"))]
    total = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for files in pool.map(lambda path: counts_of(gcov, path.resolve()), objects):
            for path, lines in files:
                if not path.is_relative_to(ROOT / "lib/src"):
                    continue
                source = str(path.relative_to(ROOT / "lib/src"))
                if is_parser(source):
                    for line in lines:
                        total[source][line["line_number"]] += line["count"]
    return total


def read_reasons(path):
    """Returns source -> entries `TEXT: REASON`."""
    reasons = collections.defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            source, _, entry = line.partition(": ")
            reasons[source].append(entry)
    return reasons


def take_reason(entries, text):
    """Removes the reason for a line from the entries and returns it; None if there is none."""
    for entry in entries:
        if entry.startswith(text + ": ") and entry[len(text) + 2:].strip():
            entries.remove(entry)
            return entry[len(text) + 2:]
    return None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--gcov", default="gcov", help="the gcov of the compiler that the tree was made with")
    options.add_argument("tree", help="the build tree, after the programs have run")
    options.add_argument("reasons", type=pathlib.Path, help="why lines are not reached")
    options = options.parse_args()

    total = gather(options.gcov, options.tree)
    if not total:
        sys.exit(f"{options.tree}: nothing was counted")
    reasons = read_reasons(options.reasons)
    unreached, without_reason = [], 0
    print(f"{'source':<32}{'lines':>7}{'reached':>9}{'share':>9}")
    for source in sorted(total):
        code = (ROOT / "lib/src" / source).read_text(encoding="utf-8").splitlines()
        # The count of a closing brace is that of the exception path.
        for number in [number for number in total[source] if not any(map(str.isalnum, code[number - 1]))]:
            del total[source][number]
        lines = total[source]
        missed = sorted(number for number, count in lines.items() if count == 0)
        print(f"{source:<32}{len(lines):>7}{len(lines) - len(missed):>9}{1 - len(missed) / len(lines):>9.1%}")
        for number in missed:
            text = code[number - 1].strip()
            reason = take_reason(reasons[f"lib/src/{source}"], text)
            without_reason += reason is None
            unreached.append(f"lib/src/{source}:{number}: {text}: {reason or 'NO REASON'}")
    lines, missed = sum(map(len, total.values())), len(unreached)
    print(f"{'all':<32}{lines:>7}{lines - missed:>9}{1 - missed / lines:>9.1%}\n")
    print(*unreached, sep="\n")
    stale = [f"{source}: {entry}" for source, entries in reasons.items() for entry in entries]
    for entry in stale:
        print(f"{options.reasons}: no such line, or it is reached: {entry}")
    print(f"{missed} lines are not reached, {without_reason} of them without a reason; {len(stale)} reasons are stale")
    return 1 if without_reason or stale else 0


if __name__ == "__main__":
    sys.exit(main())
