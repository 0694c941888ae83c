#!/usr/bin/env python3
"""Looks for retired words, and for comments in another form than that of a reference: words.py [--count] [PATH...].

retired_words.txt lists the retired words. The comment of a function in a public header begins with a verb in the third
person ("Returns ..."); no `///` comment begins with a question ("What", "Whether") or with "Likewise". Prints FILE:LINE
for each finding, and exits with 1 if there is any. Without PATH: all of the tree that people read."""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
READ = ["lib", "tools", "fuzz", "tests", "CMakeLists.txt", "CMakePresets.json", "*.md"]
SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".js", ".mjs", ".css", ".sql", ".xml", ".md", ".py", ".sh", ".txt", ".cmake", ".in", ".json", ".go", ".rs"}
NOT_READ = {"tests/docs/retired_words.txt", "lib/src/base/windows_zones.cpp", "tests/docs/words.py", "CHANGELOG.md", "tests/bench/instructions.json"}
QUESTION = r"(What|Whether|Which|How|Why|Who|Whose|Where|When)\b"
# Names that programs of users have: a fault's code, a JSON key, a column and a variable of the ClickHouse loader; and one of
# RapidJSON.
KEPT = re.compile(r'\bcapture_torn\b|"forgotten"|\btold( = 2\b| UInt8|\))|AS told\b|\bHKPD_PATIENCE\b|(add_|--)user nobody|\bstream_?\.Tell\(\)')
VERB = re.compile(r"[A-Z][a-z]+s\b")
NO_VERB = {"This", "Is", "Has", "Was", "Bytes", "Names", "Titles", "Its", "As", "Positions", "Rows", "Samples", "Nanoseconds", "Languages",
           "Values", "Entries", "Others", "Always", "Does", "Us", "Texts", "Ids", "Indices", "Seconds", "Ticks"}


def retired_words():
    rules = []
    for line in (HERE / "retired_words.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, instead = line.split("\t")
            # As a word, or as a part of an identifier: `wish_`, `path_wishes`, `PathWish`.
            rules.append((re.compile(rf"(?<![A-Za-z])(?:{pattern})(?![a-z])", re.I), instead))
            if re.fullmatch(r"[a-z?|]+", pattern):
                parts = "|".join(part[0].upper() + part[1:] for part in pattern.split("|"))
                rules.append((re.compile(rf"(?<=[a-z0-9])(?:{parts})(?![a-z])"), instead))
    return rules


def find_retired(lines, rules):
    for number, line in enumerate(lines, 1):
        line = KEPT.sub("", line)
        for expression, instead in rules:
            for found in expression.finditer(line):
                yield number, f"'{found[0]}': write {instead}"


def comments(lines):
    """Of each `///` comment: the number and text of its first line, and the code that follows it."""
    number = 0
    while number < len(lines):
        begin = number
        while number < len(lines) and re.match(r"\s*///(?!<)", lines[number]):
            number += 1
        if begin == number:
            if after := re.search(r"///<\s*(.*)", lines[number]):
                yield number + 1, after[1], ""
            number += 1
            continue
        yield begin + 1, lines[begin].split("///", 1)[1].strip(), " ".join(lines[number : number + 4])


def is_function(code):
    code = re.sub(r"^\s*(template\s*<[^{;]*?>\s*)?(\[\[[^\]]*\]\]\s*)*", "", code.split("//")[0])
    return not re.match(r"\s*(class|struct|enum|union|using|namespace|inline constexpr|static constexpr|constexpr)\b", code) and re.match(
        r"[^;={]*\(", code) is not None


def find_forms(path, lines):
    public = "lib/include/" in path
    for number, text, code in comments(lines):
        if re.match(QUESTION, text) or re.match(r"Likewise\b|As above|See above", text):
            yield number, f"begin with the result, not with '{text.split()[0]}'"
        elif public and is_function(code):
            word = text.split()[0] if text else ""
            if not VERB.match(word) or word in NO_VERB:
                yield number, f"begin with a verb in the third person (\"Returns ...\"), not with '{word}'"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", action="store_true", help="counts alone")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *(options.paths or READ)], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    rules = retired_words()
    words = forms = 0
    for path in sorted(set(listed.splitlines())):
        file = ROOT / path
        if file.suffix not in SUFFIXES or path in NOT_READ or path.startswith("testdata/") or not file.is_file():
            continue
        lines = file.read_text(encoding="utf-8").splitlines()
        found = [*find_retired(lines, rules)]
        words += len(found)
        if file.suffix in {".cpp", ".hpp"}:
            odd = [*find_forms(path, lines)]
            forms += len(odd)
            found += odd
        if not options.count:
            for number, message in sorted(found):
                print(f"{path}:{number}: {message}")
    print(f"{words} retired words, {forms} comments in another form")
    return 1 if words + forms else 0


if __name__ == "__main__":
    sys.exit(main())
