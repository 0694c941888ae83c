#!/usr/bin/env python3
"""Reads metrics from standard input and writes their points as JSON, one per line: name, labels, milliseconds, value.

`check.py text`: OpenMetrics text, read by the reference parser; exits with 77 if it is not installed.
`check.py dump`: the output of `promtool tsdb dump`.
"""

import json
import re
import sys


def points_of_text(text):
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        sys.exit(77)
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            yield sample.name, sample.labels, round(float(sample.timestamp) * 1000), float(sample.value)


ESCAPE = re.compile(r'\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))')
LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def unquoted(text):
    """Parses a string as written by Go's %q."""

    def one(match):
        digits = match[1] or match[2] or match[3]
        return chr(int(digits, 16)) if digits else LETTERS.get(match[4], match[4])

    return ESCAPE.sub(one, text)


def points_of_dump(text):
    label = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:, )?')
    for line in text.split("\n"):
        if not line:
            continue
        labels, at = {}, 1
        while line[at] != "}":
            found = label.match(line, at)
            labels[found[1]] = unquoted(found[2])
            at = found.end()
        value, milliseconds = line[at + 2 :].split(" ")
        yield labels.pop("__name__"), labels, int(milliseconds), float(value)


def main():
    text = sys.stdin.buffer.read().decode("utf-8")
    for point in {"text": points_of_text, "dump": points_of_dump}[sys.argv[1]](text):
        print(json.dumps(point))


main()
