#!/usr/bin/env python3
"""counts.py JUNIT_XML: prints how many tests passed, failed and were skipped, and the reasons for skipping.

A test of ctest may contain many of GoogleTest: then those count, by the summary that GoogleTest prints at its end.
"""
import re
import sys
import xml.etree.ElementTree as xml


def count_of(word, output):
    found = re.search(rf"^\[  {word} *\] (\d+) tests?\b", output, re.MULTILINE)
    return int(found[1]) if found else None


def main():
    passed = failed = skipped = 0
    reasons = set()
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
        reasons.update(line.strip() for line in re.findall(r": Skipped\n(.+)", output))
    print(passed, failed, skipped)
    for reason in sorted(reasons):
        print(reason)


if __name__ == "__main__":
    main()
