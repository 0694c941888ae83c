#!/usr/bin/env python3
"""pandas_percentiles.py HKPD: a text log of a day (PDH-CSV, 500 columns, 8,640 rows, 52 MB), of which pandas and `hkpd replay
--summary` make count, mean, standard deviation, minimum, three percentiles and maximum of each column. Prints processor time
and peak memory of both, the best of three runs each, for "Why not" in README.md. Not run in CI; needs Debian's
python3-pandas."""

import datetime
import pathlib
import random
import subprocess
import sys
import tempfile

COLUMNS, ROWS, ROUNDS = 500, 8640, 3
COUNTERS = ['% Processor Time', 'Private Bytes', 'Working Set', 'Handle Count', 'IO Data Bytes/sec']
PANDAS = """
import pandas as pd
frame = pd.read_csv({path!r}, index_col=0, na_values=' ')
frame.index = pd.to_datetime(frame.index, format='%m/%d/%Y %H:%M:%S.%f')
assert frame.describe(percentiles=[.5, .95, .99]).shape == (8, {columns})
"""


def write_log(path):
    numbers = random.Random(5)
    paths = [rf'\\SRV1\Process(p{i // 5})\{COUNTERS[i % 5]}' for i in range(COLUMNS)]
    time = datetime.datetime(2026, 1, 1)
    with open(path, 'w', newline='', encoding='ascii') as file:
        file.write('"(PDH-CSV 4.0) (UTC)(0)",' + ','.join(f'"{name}"' for name in paths) + '\r\n')
        for _ in range(ROWS):
            cells = ','.join(f'"{numbers.random() * 100:.6f}"' for _ in paths)
            file.write(f'"{time:%m/%d/%Y %H:%M:%S}.000",{cells}\r\n')
            time += datetime.timedelta(seconds=10)


def cost(command):
    """Returns processor time in seconds and peak memory in MiB of a command."""
    code = f"import resource, subprocess; subprocess.run({command!r}, check=True, stdout=subprocess.DEVNULL)\n" \
           "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime, used.ru_maxrss)"
    out = subprocess.run([sys.executable, '-c', code], check=True, capture_output=True, text=True).stdout.split()
    return float(out[0]), int(out[1]) / 1024


def main():
    hkpd = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / 'day.csv')
        write_log(path)
        commands = {'pandas': [sys.executable, '-c', PANDAS.format(path=path, columns=COLUMNS)],
                    'hkpd': [hkpd, 'replay', '--summary', '--format', 'csv', path]}
        found = {name: min(cost(command) for _ in range(ROUNDS)) for name, command in commands.items()}
    for name, (seconds, mebibytes) in found.items():
        print(f'{name}: {seconds:.2f} s, {mebibytes:.0f} MiB')
    print(f"pandas over hkpd: {found['pandas'][0] / found['hkpd'][0]:.1f} times the processor time, "
          f"{found['pandas'][1] / found['hkpd'][1]:.1f} times the memory")


if __name__ == '__main__':
    main()
