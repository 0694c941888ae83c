"""Prints an answer as rows, for compare.py, as rows.cpp does: rows.py summary|check INPUT..."""

import sys

import pandas

import hkpd

BLANKS = {code: " " for code in range(ord(" "))}
SUMMARY = "machine object counterset parent instance pid instance_id life counter unit count first last min mean p50 p95 p99 max stddev delta slope average"
CHECK = "severity code machine object_name instance_name rule repair perflib_event service library"


def show(*cells):
    print(*("" if pandas.isna(cell) else str(cell).translate(BLANKS) for cell in cells), sep="\t")


def main(answer, *inputs):
    if answer == "summary":
        columns = SUMMARY.split()
        show(*columns)
        rows = hkpd.summary(inputs)[columns]
        for row in zip(*(rows[column] for column in columns)):
            show(*row)
        return
    show(*CHECK.split())
    for one in hkpd.check(inputs).findings:
        who = (one.machine, one.object, one.instance, one.rule, one.repair, one.event, one.service, one.library)
        show(one.fault.severity.name.lower(), one.fault.code, *who)


main(*sys.argv[1:])
