#!/bin/sh
# calls.sh LOG: the calls of a batch file, one for one.
set -e
relog "$1"
relog "$1" -q -o counters.txt -y
relog "$1" -f csv -o all.csv -y
relog "$1" /c '\Memory\*' '\Processor(_Total)\*' /f csv /o some.csv /y
relog "$1" -cf counters.txt -t 2 -f tsv -o second.tsv -y
relog "$1" -f CSV -b "11/26/2016 13:46:00" -e "11/26/2016 13:47:00" -o span.csv -y
samples=$(($(wc -l <all.csv) - 1))
second=$(($(wc -l <second.tsv) - 1))
counters=$(head -n 1 some.csv | tr ',' '\n' | sed 1d | wc -l)
echo "$samples samples, $second of every second, $counters counters in some.csv"
