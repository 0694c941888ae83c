#!/bin/sh
# each.sh DIRECTORY: converts each log of a directory, and prints the number of lines of each CSV.
for log in "$1"/*.blg; do
    csv="${log%.blg}.csv"
    relog "$log" -f csv -o "$csv" -y >/dev/null || exit
    echo "$csv $(wc -l <"$csv")"
done
