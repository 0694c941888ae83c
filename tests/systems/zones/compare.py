#!/usr/bin/env python3
"""compare.py HKPD: compares the local times of the command with those of Python's zoneinfo.

For each zone, blobs are written whose times surround the changes of the clocks of several years. The command shows them
as a table, as CSV and as PDH-CSV, and each time, offset and header must be that of zoneinfo. Then local times in and
around the repeated and the skipped hours are given as --from, and the first sample must be the one that zoneinfo states.
Exits with 77 if Python has no zones.
"""
import csv
import datetime
import io
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zoneinfo

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
import missing

UTC = datetime.timezone.utc
DAY = datetime.timedelta(days=1)
# IANA name, a name in Windows for the same zone, and years. Lord Howe's clocks change by 30 minutes, and Apia skipped a
# day in 2011. Dublin's winter time is a daylight time in the files of some systems.
ZONES = [
    ("America/New_York", "Eastern Standard Time", [2006, 2007, 2016, 2031]),
    ("Europe/Berlin", "W. Europe Standard Time", [1995, 1996, 2016, 2040]),
    ("Australia/Lord_Howe", "Lord Howe Standard Time", [2000, 2016, 2024]),
    ("Europe/Dublin", None, [2016]),
    ("America/Sao_Paulo", "E. South America Standard Time", [2018, 2019, 2020]),
    ("Africa/Casablanca", "Morocco Standard Time", [2016, 2018, 2023]),
    ("Pacific/Apia", "Samoa Standard Time", [2011, 2021]),
    ("Asia/Kathmandu", "Nepal Standard Time", [2016]),
]
STEP = datetime.timedelta(minutes=30)


def blob(moment):
    """A V1 block (FORMATS.md) with one object of one counter, at a moment."""
    ticks = (moment - datetime.datetime(1601, 1, 1, tzinfo=UTC)) // datetime.timedelta(microseconds=1) * 10
    name = "ZONES\0".encode("utf-16-le")
    counter = struct.pack("<IIIIIiIIII", 40, 44, 0, 44, 0, 0, 100, 0x00010000, 4, 4)
    values = struct.pack("<II", 8, 7)
    definitions = 64 + len(counter)
    total = definitions + len(values)
    kind = struct.pack("<IIIIIIIIIiiIqq", total, definitions, 64, 2, 0, 2, 0, 100, 1, 0, -1, 0, ticks, 10_000_000)
    header = 96 + len(name) + len(name) % 8
    header += -header % 8
    time = struct.pack("<8H", moment.year, moment.month, moment.isoweekday() % 7, moment.day, moment.hour, moment.minute,
                       moment.second, moment.microsecond // 1000)
    start = "PERF".encode("utf-16-le") + struct.pack("<IIIIIIi", 1, 1, 1, header + total, header, 1, 2)
    start += time + b"\0" * 4 + struct.pack("<qqq", ticks, 10_000_000, ticks)
    start += struct.pack("<II", len(name), 96)
    return start.ljust(96, b"\0") + name.ljust(header - 96, b"\0") + kind + counter + values


def changes(zone, years):
    """The moments at which the offset of a zone changes, found by looking at each half hour."""
    found = []
    moment, end = datetime.datetime(years[0], 1, 1, tzinfo=UTC), datetime.datetime(years[-1] + 1, 1, 1, tzinfo=UTC)
    while moment < end:
        # A day without a change is passed at once: no clock is changed twice in a day.
        if moment.year in years and moment.astimezone(zone).utcoffset() != (moment + DAY).astimezone(zone).utcoffset():
            while moment.astimezone(zone).utcoffset() == (moment + STEP).astimezone(zone).utcoffset():
                moment += STEP
            found.append(moment + STEP)
        moment += DAY
    return found


def moments(zone, years):
    around = [datetime.datetime(year, month, 15, 12, tzinfo=UTC) for year in years for month in (1, 7)]
    for change in changes(zone, years):
        around += [change + STEP * n for n in range(-5, 6)]
        around += [change - datetime.timedelta(milliseconds=1), change + datetime.timedelta(milliseconds=1)]
    return sorted(set(around))


class Compare:
    def __init__(self, command, folder):
        self.command, self.folder, self.compared, self.wrong = command, folder, 0, 0

    def run(self, *arguments):
        done = subprocess.run([self.command, "replay", *arguments], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 2):
            sys.exit(f"{arguments}: exit code {done.returncode}: {done.stderr}")
        return done

    def expect(self, what, found, expected):
        self.compared += 1
        if found != expected:
            self.wrong += 1
            print(f"{what}: expected {expected}, found {found}")

    def write(self, times):
        path = f"{self.folder}/zones.bin"
        with open(path, "wb") as file:
            file.write(b"".join(map(blob, times)))
        return path

    def compare_output(self, name, zone, times, path):
        local = [time.astimezone(zone) for time in times]
        iso = [time.isoformat(timespec="milliseconds") for time in local]
        shown = self.run(path, "--tz", name, "--raw", "--format", "csv").stdout
        self.expect(f"csv {name}", [row["time"] for row in csv.DictReader(io.StringIO(shown))], iso)
        shown = self.run(path, "--tz", name, "--raw").stdout
        self.expect(f"table {name}", re.findall(r"(?m)^machine ZONES, ([^,]*),", shown), iso)
        rows = list(csv.reader(io.StringIO(self.run(path, "--tz", name, "--raw", "--format", "pdh-csv").stdout)))
        bias = -int(local[0].utcoffset().total_seconds()) // 60
        self.expect(f"header {name}", re.search(r"\((-?\d+)\)$", rows[0][0]).group(1), str(bias))
        expected = [time.strftime("%m/%d/%Y %H:%M:%S.") + f"{time.microsecond // 1000:03}" for time in local]
        self.expect(f"pdh-csv {name}", [row[0] for row in rows[1:]], expected)

    def compare_ranges(self, name, zone, times, path):
        """Each local time around a change, as the command and as zoneinfo understand it."""
        for change in changes(zone, sorted({time.year for time in times}))[:4]:
            before = (change - STEP).astimezone(zone).utcoffset()
            for minutes in range(-120, 121, 15):
                wanted = (change + before).replace(tzinfo=None) + datetime.timedelta(minutes=minutes)
                done = self.run(path, "--tz", name, "--raw", "--format", "csv", "--from", wanted.isoformat(" "),
                                "--to", (change + DAY).isoformat())
                first = next((row["time"] for row in csv.DictReader(io.StringIO(done.stdout))), None)
                early, late = (wanted.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
                skipped = early.astimezone(zone).replace(tzinfo=None) != wanted
                moment = change if skipped else early
                expected = next((time for time in times if moment <= time <= change + DAY), None)
                self.expect(f"--from {wanted} {name}", first,
                            expected and expected.astimezone(zone).isoformat(timespec="milliseconds"))
                self.expect(f"note for {wanted} {name}", "does not exist" in done.stderr, skipped)
                self.expect(f"note for {wanted} {name}", "occurs twice" in done.stderr, not skipped and early != late)

    def compare_zone(self, iana, windows, years):
        zone = zoneinfo.ZoneInfo(iana)
        times = moments(zone, years)
        path = self.write(times)
        for name in filter(None, (iana, iana.lower(), windows)):
            self.compare_output(name, zone, times, path)
        self.compare_ranges(iana, zone, times, path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        zoneinfo.ZoneInfo("Europe/Berlin")
    except zoneinfo.ZoneInfoNotFoundError:
        sys.exit(missing.report("rules of time zones: package tzdata"))
    with tempfile.TemporaryDirectory() as folder:
        compare = Compare(sys.argv[1], folder)
        for iana, windows, years in ZONES:
            compare.compare_zone(iana, windows, years)
    print(f"{compare.compared} comparisons, {compare.wrong} wrong")
    sys.exit(compare.wrong != 0 or compare.compared < 500)


if __name__ == "__main__":
    main()
