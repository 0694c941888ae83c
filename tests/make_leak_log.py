#!/usr/bin/env python3
"""make_leak_log.py > testdata/logs/leak.csv: a text log of two hours as typeperf and relog write it, in which one process
leaks. The machine, the processes and all values are invented; counter paths and the form of the text are those of Windows.
OrderService (4312) gains 9 MiB and 11 handles a minute from 14:20 on, until memory is short and the machine pages. It uses
little processor time: sqlservr uses the most, and does not grow. Makes the same bytes every time."""

import datetime

ZONE = '(PDH-CSV 4.0) (W. Europe Daylight Time)(-120)'
MACHINE = 'SHOP01'
SAMPLES, SECONDS = 120, 60
BEGIN = datetime.datetime(2026, 6, 9, 14, 0, 0, 15000)
LEAK_BEGINS = 20
MIB = 1 << 20
COUNTERS = ['ID Process', '% Processor Time', 'Private Bytes', 'Working Set', 'Handle Count']
# Name, process id, percent of a processor, private bytes and handles at the begin.
PROCESSES = [('sqlservr', 2144, 61, 1630, 1210), ('w3wp', 3980, 22, 310, 840), ('w3wp#1', 5124, 9, 190, 610),
             ('OrderService', 4312, 3.5, 240, 520), ('MsMpEng', 1876, 4, 160, 700), ('svchost', 912, 1.2, 40, 480),
             ('explorer', 6340, 0.4, 70, 1900)]
PHYSICAL_MIB, OTHERS_MIB = 4096, 700  # memory of the machine, and what all other processes take


class Noise:
    """A generator of numbers from -1 to 1 that is the same everywhere (the constants are those of Numerical Recipes)."""

    def __init__(self):
        self.state = 20260609

    def __call__(self):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return self.state / 2**31 - 1


def rows():
    noise = Noise()
    for sample in range(SAMPLES):
        leaked = max(0, sample - LEAK_BEGINS)
        values, processors, used = [], 0.0, OTHERS_MIB
        for name, pid, percent, mib, handles in PROCESSES:
            busy = max(0.0, percent * (1 + 0.2 * noise()))
            private = mib * (1 + 0.01 * noise())
            count = handles + round(8 * noise())
            if name == 'OrderService':
                private += 9 * leaked
                count += 11 * leaked
            processors += busy
            used += private
            values += [pid, busy, int(private * MIB), int(private * 0.86 * MIB), count]
        available = max(38, round(PHYSICAL_MIB - used))
        short = max(0, 260 - available) / 260
        pages = 6 + 4 * noise() + 900 * short * (1 + 0.3 * noise())
        machine = [processors / 4, available, max(0.0, pages), 1 + short * 6 + 0.3 * noise()]
        time = BEGIN + datetime.timedelta(seconds=sample * SECONDS)
        yield time, machine + values


def cell(value):
    return f'"{value:.6f}"' if isinstance(value, float) else f'"{value}"'


def main():
    paths = [r'Processor(_Total)\% Processor Time', r'Memory\Available MBytes', r'Memory\Pages/sec',
             r'PhysicalDisk(_Total)\Avg. Disk Queue Length']
    paths += [rf'Process({name})\{counter}' for name, *_ in PROCESSES for counter in COUNTERS]
    lines = [','.join([f'"{ZONE}"'] + [f'"\\\\{MACHINE}\\{path}"' for path in paths])]
    for time, values in rows():
        stamp = time.strftime('%m/%d/%Y %H:%M:%S.') + f'{time.microsecond // 1000:03}'
        lines.append(','.join([f'"{stamp}"'] + [cell(value) for value in values]))
    print('\r\n'.join(lines), end='\r\n')


if __name__ == '__main__':
    main()
