#!/bin/sh
# make_tutorial.sh: converts tools/TUTORIAL.md to the manual page hkpd-tutorial(7), on standard output. Needs lowdown. The
# result is kept as tools/documents/hkpd-tutorial.7, so that a build does not need lowdown; a test compares both.
set -e
cd "$(dirname "$0")/.."
lowdown -s -Tman -m title=HKPD-TUTORIAL -m section=7 -m date= TUTORIAL.md | sed \
    -e '/^\.SH$/{N;N;s/.*/.SH NAME\nhkpd\\-tutorial \\- three cases, from the file to the answer\n.SH DESCRIPTION/;}' \
    -e '/^\.SS$/{N;N;s/^\.SS\n\(.*\)\n\.LP$/.SH "\1"/;}' -e 's/\\fC/\\fB/g'
