#!/usr/bin/env python3
"""logs.py HKPD [--share N]: compares the times that the command reads from text logs with those of Python's zoneinfo.

A log is written over each change of the clocks of some zones: as PDH writes it (by the local clock) and as relog
converts it (with the offset of the first line). All times that the command reads must be those of zoneinfo, whether it
reads everything or a range, from a file or from a pipe; and so with other intervals, and with rows missing around the
change where what is left shows what the log is. --share N: one change in N, and one zone in N over all years. Exits
with 77 if Python has no zones.
"""
import datetime
import pathlib
import random
import subprocess
import sys
import tempfile
import zoneinfo

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
import missing

UTC = datetime.timezone.utc
HALF_HOUR = datetime.timedelta(minutes=30)
DAY = datetime.timedelta(days=1)
YEARS = range(2019, 2027)
# IANA name, and the names that Windows writes for standard time and daylight time. Both hemispheres, offsets of half and
# quarter hours, Lord Howe (30 minutes), zones that have changed their rules or their offset.
ZONES = [
    ("Europe/Berlin", "W. Europe Standard Time", "W. Europe Daylight Time"),
    ("America/New_York", "Eastern Standard Time", "Eastern Daylight Time"),
    ("America/St_Johns", "Newfoundland Standard Time", "Newfoundland Daylight Time"),
    ("Australia/Sydney", "AUS Eastern Standard Time", "AUS Eastern Daylight Time"),
    ("Australia/Adelaide", "Cen. Australia Standard Time", "Cen. Australia Daylight Time"),
    ("Australia/Lord_Howe", "Lord Howe Standard Time", "Lord Howe Daylight Time"),
    ("Pacific/Chatham", "Chatham Islands Standard Time", "Chatham Islands Daylight Time"),
    ("America/Santiago", "Pacific SA Standard Time", "Pacific SA Daylight Time"),
    ("America/Sao_Paulo", "E. South America Standard Time", "E. South America Daylight Time"),
    ("Asia/Tehran", "Iran Standard Time", "Iran Daylight Time"),
    ("America/Mexico_City", "Central Standard Time (Mexico)", "Central Daylight Time (Mexico)"),
    ("Asia/Amman", "Jordan Standard Time", "Jordan Daylight Time"),
    ("Africa/Casablanca", "Morocco Standard Time", "Morocco Daylight Time"),
    ("Asia/Jerusalem", "Jerusalem Standard Time", "Jerusalem Daylight Time"),
    ("Europe/Volgograd", "Volgograd Standard Time", "Volgograd Daylight Time"),
]


def seconds(count):
    return datetime.timedelta(seconds=count)


def minutes(count):
    return datetime.timedelta(minutes=count)


def hours(count):
    return datetime.timedelta(hours=count)


def changes(zone):
    """The moments at which the offset of a zone changes, to the half hour."""
    moment = datetime.datetime(YEARS[0], 1, 1, tzinfo=UTC)
    while moment.year <= YEARS[-1]:
        after = moment + DAY
        if moment.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
            while moment.astimezone(zone).utcoffset() == (moment + HALF_HOUR).astimezone(zone).utcoffset():
                moment += HALF_HOUR
            yield moment + HALF_HOUR
        moment = after


def log(names, zone, moments, converted):
    """The log of these moments."""
    first = moments[0].astimezone(zone)
    offset = first.utcoffset()
    name = names[1] if first.dst() else names[0]
    lines = [f'"(PDH-CSV 4.0) ({name})({-int(offset.total_seconds()) // 60})","\\\\SRV\\System\\Processes"']
    for number, moment in enumerate(moments):
        local = (moment + offset if converted else moment.astimezone(zone)).isoformat(timespec="milliseconds")
        lines.append(f'"{local[5:7]}/{local[8:10]}/{local[:4]} {local[11:23]}","{number}"')
    return "\r\n".join(lines) + "\r\n"


def shown(moment):
    return moment.isoformat(timespec="milliseconds")[:23] + "Z"


class Compare:
    def __init__(self, command, folder):
        self.command, self.path, self.compared, self.wrong = command, f"{folder}/log.csv", 0, 0

    def times(self, *arguments, text=None):
        command = [self.command, "replay", "--format", "csv", "--utc", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, input=text)
        if done.returncode != 0:
            sys.exit(f"{arguments}: exit code {done.returncode}: {done.stderr}")
        return [line.split(",", 1)[0] for line in done.stdout.splitlines()[1:]]

    def expect(self, what, found, moments):
        expected = [shown(moment) for moment in moments]
        self.compared += len(expected)
        if found == expected:
            return
        wrong = sum(a != b for a, b in zip(found, expected)) + abs(len(found) - len(expected))
        self.wrong += wrong
        first = next((n for n, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
        print(f"{what}: {wrong} of {len(expected)} differ, the first is row {first}: expected "
              f"{expected[first:first + 1]}, found {found[first:first + 1]}")

    def compare(self, what, names, zone, moments, converted, ranges=()):
        text = log(names, zone, moments, converted)
        pathlib.Path(self.path).write_text(text, encoding="utf-8", newline="")
        self.expect(what, self.times(self.path), moments)
        for begin, end in ranges:
            bounds = ["--from", shown(begin), "--to", shown(end)]
            expected = [moment for moment in moments if begin <= moment <= end]
            self.expect(f"{what} {bounds}", self.times(self.path, *bounds), expected)
            self.expect(f"{what} {bounds} of a pipe", self.times("-", *bounds, text=text), expected)


def row_times(begin, end, step):
    count = (end - begin) // step
    return [begin + step * n for n in range(count + 1)]


def main():
    if len(sys.argv) not in (2, 4) or sys.argv[2:3] not in ([], ["--share"]):
        sys.exit(__doc__)
    share = int(sys.argv[3]) if sys.argv[2:] else 1
    try:
        zones = [(zoneinfo.ZoneInfo(name), (standard, daylight)) for name, standard, daylight in ZONES]
    except zoneinfo.ZoneInfoNotFoundError:
        sys.exit(missing.report("rules of time zones: package tzdata"))
    draw = random.Random(38)
    with tempfile.TemporaryDirectory() as folder:
        compare = Compare(sys.argv[1], folder)
        for place, (zone, names) in enumerate(zones):
            found = list(changes(zone))
            for number, change in enumerate(found):
                if (place + number) % share != 0:
                    continue
                begin, end = change - hours(3) + seconds(draw.random() * 10), change + hours(3)
                begin = begin.replace(microsecond=begin.microsecond // 1000 * 1000)
                back = (change - HALF_HOUR).astimezone(zone).utcoffset() - change.astimezone(zone).utcoffset()
                moments = row_times(begin, end, seconds(10))
                ends = [(change + minutes(draw.randrange(-150, 120)), change + minutes(150))] if number % 4 == 0 else []
                for converted in (False, True):
                    what = f"{zone.key} {change} {'converted' if converted else 'live'}"
                    compare.compare(what, names, zone, moments, converted, ends)
                    for step in (minutes(1), minutes(10), minutes(15), minutes(60), minutes(90)):
                        compare.compare(f"{what} every {step}", names, zone,
                                        row_times(change - hours(13) + seconds(7), change + hours(13), step), converted)
                    # One row in five is missing, and 20 minutes at the change, which is less than it is long.
                    some = [m for m in moments if draw.random() < 0.8 and not minutes(0) < m - change < minutes(20)]
                    compare.compare(f"{what} some missing", names, zone, some, converted)
                # A live log of which nothing is left around the change.
                lost = abs(back) + minutes(40)
                few = [m for m in moments if abs(m - change) > lost]
                compare.compare(f"{zone.key} {change} nothing left", names, zone, few, False)
            if place % share != 0:
                continue
            # All changes in one log, read whole and from the middle.
            long = row_times(datetime.datetime(2019, 1, 2, tzinfo=UTC), datetime.datetime(2026, 12, 30, tzinfo=UTC), minutes(20))
            ranges = [(change + minutes(draw.randrange(-100, 100)), change + hours(30)) for change in found[::3]]
            for converted in (False, True):
                compare.compare(f"{zone.key} eight years {'converted' if converted else 'live'}", names, zone, long,
                                converted, ranges)
        print(f"{compare.compared} times compared, {compare.wrong} differ")
        return compare.wrong != 0


if __name__ == "__main__":
    sys.exit(main())
