"""Writes a log of a machine in trouble, as PerfMon writes text logs: what each rule of another kind finds is planted."""

import datetime
import random

BEGIN = datetime.datetime(2026, 3, 29, 0, 30)
INTERVAL, COUNT = 15, 600  # seconds; two and a half hours
GAP = range(300, 340)      # samples that are missing


def write_log(path, calm=False):
    """Planted: 12 minutes of saturated processors, a process that grows by 200 MiB an hour, one that lives for ten minutes and
    grows faster, two minutes with little memory, an interface that receives at 80 % of its bandwidth for five minutes, a
    volume that fills up, ten minutes without samples, and values that are missing. `calm`: the same machine a day earlier,
    without most of this, and before the volume had a counter."""
    source = random.Random(5 if calm else 4)
    counters = {
        r"\Processor(_Total)\% Processor Time": lambda i: 97 + source.random() if 100 <= i < 148 else 20 + 10 * source.random(),
        r"\Memory\Available MBytes": lambda i: 48 if 200 <= i < 208 else 3000 + source.randrange(500),
        r"\Process(leaks)\Private Bytes": lambda i: 50e6 + i * INTERVAL * 200 * 2**20 / 3600 + source.randrange(1 << 16) // 4096 * 4096,
        r"\Process(short)\Private Bytes": lambda i: 1e6 * (i - 400) if 400 <= i < 440 else None,
        r"\Process(calm)\Private Bytes": lambda i: 7 << 20,
        r"\Network Interface(wired)\Bytes Received/sec": lambda i: 1e8 * (1 + source.random() / 50) if 360 <= i < 380 else 1e5 * source.random(),
        r"\Network Interface(wired)\Bytes Sent/sec": lambda i: 1e5 * source.random(),
        r"\Network Interface(wired)\Current Bandwidth": lambda i: 1e9,
        r"\LogicalDisk(C:)\% Free Space": lambda i: max(0.0, 12 - i / 50),
        r"\System\Processor Queue Length": lambda i: source.randrange(4) if i % 97 else None,
    }
    if calm:
        counters[r"\Processor(_Total)\% Processor Time"] = lambda i: 20 + 10 * source.random()
        counters[r"\Process(leaks)\Private Bytes"] = lambda i: 50e6 + source.randrange(1 << 16)
        del counters[r"\LogicalDisk(C:)\% Free Space"]
    with open(path, "w", encoding="utf-8", newline="\r\n") as log:
        heads = ["(PDH-CSV 4.0) (W. Europe Standard Time)(-60)", *("\\\\TROUBLED" + name for name in counters)]
        log.write(",".join(f'"{head}"' for head in heads) + "\n")
        for i in range(COUNT):
            cells = [value(i) for value in counters.values()]
            if i in GAP:
                continue
            time = BEGIN + datetime.timedelta(seconds=INTERVAL * i, days=-1 if calm else 0)
            texts = [time.strftime("%m/%d/%Y %H:%M:%S.000"), *(" " if cell is None else repr(float(cell)) for cell in cells)]
            log.write(",".join(f'"{text}"' for text in texts) + "\n")
