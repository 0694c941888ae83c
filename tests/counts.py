#!/usr/bin/env python3
"""counts.py JUNIT_XML: prints how many tests passed, failed and were skipped, then a line for each reason for skipping,
with the number of tests: "19 need the real data of ../shared".

A test of ctest may contain many of GoogleTest: then those count, by the summary that GoogleTest prints at its end. A test
of another kind states its reason in a line that begins with "skipped: ".
"""
import collections
import re
import sys
import xml.etree.ElementTree as xml


def count_of(word, output):
    found = re.search(rf"^\[  {word} *\] (\d+) tests?\b", output, re.MULTILINE)
    return int(found[1]) if found else None


def reasons_of(case, output):
    """Returns the reason of each skipped test in a test of ctest."""
    of_googletest = [line.strip() for line in re.findall(r": Skipped\n(.+)", output)]
    if of_googletest or case.get("status") not in ("notrun", "disabled"):
        return of_googletest
    return re.findall(r"^skipped: (.+?)\s*$", output, re.MULTILINE)[-1:] or [f"{case.get('name')}: no reason was stated"]


def main():
    passed = failed = skipped = 0
    reasons = collections.Counter()
    for case in xml.parse(sys.argv[1]).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        status = case.get("status")
        if count_of("PASSED", output) is not None:
            passed += count_of("PASSED", output)
            skipped += count_of("SKIPPED", output) or 0
            failed += (count_of("FAILED", output) or 1) if status == "fail" else 0
        else:
            passed += status == "run"
            failed += status == "fail"
            skipped += status in ("notrun", "disabled")
        reasons.update(reasons_of(case, output))
    print(passed, failed, skipped)
    for reason, count in reasons.most_common():
        print(count, reason)


if __name__ == "__main__":
    main()
