"""Writes a log of a machine in trouble, as PerfMon writes text logs: what each threshold of hkpd's own rules finds is
planted."""

import datetime
import random

BEGIN = datetime.datetime(2026, 3, 29, 0, 30)
INTERVAL, COUNT = 15, 600  # seconds; two and a half hours
GAP = range(300, 340)      # samples that are missing
MINUTE, HOUR = 60 // INTERVAL, 3600 // INTERVAL


def write_log(path, calm=False):
    """Each counter has a period of trouble, as long as its rule demands, or grows. A process that lives for ten minutes
    grows, too, which is no finding; ten minutes are without samples, and single values are missing. `calm`: the same machine
    a day earlier, without most of this, and before the volume had a counter."""
    source = random.Random(5 if calm else 4)
    counters = {name: value for group in (processors, memory, processes, disks, network, applications) for name, value in group(source).items()}
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


def write_several(path):
    """A log of three machines with different counters, of which one is busy, one has no processor counter, and one is in the
    log for the second half alone; the queue of the first is always empty."""
    source = random.Random(6)
    counters = {
        r"\\ALPHA\Processor(_Total)\% Processor Time": period(100, 12 * MINUTE, 99, lambda: 20 * source.random()),
        r"\\ALPHA\Memory\Available MBytes": lambda i: 4000 + source.randrange(100),
        r"\\ALPHA\Network Interface(wired)\Output Queue Length": lambda i: 0,
        r"\\BETA\Memory\Available KBytes": period(200, 2 * MINUTE, 40_000, lambda: 9_000_000 + source.randrange(1 << 20)),
        r"\\BETA\PhysicalDisk(0 C:)\Avg. Disk sec/Read": lambda i: 0.02 * source.random(),
        r"\\GAMMA\Processor(0)\% Idle Time": lambda i: 90 + 10 * source.random() if i > COUNT / 2 else None,
        r"\\GAMMA\System\Processor Queue Length": lambda i: source.randrange(4) if i > COUNT / 2 else None,
    }
    with open(path, "w", encoding="utf-8", newline="\r\n") as log:
        log.write(",".join(f'"{head}"' for head in ["(PDH-CSV 4.0) (UTC)(0)", *counters]) + "\n")
        for i in range(COUNT):
            cells = [value(i) for value in counters.values()]
            if i in GAP:
                continue
            time = BEGIN + datetime.timedelta(seconds=INTERVAL * i)
            texts = [time.strftime("%m/%d/%Y %H:%M:%S.000"), *(" " if cell is None else repr(float(cell)) for cell in cells)]
            log.write(",".join(f'"{text}"' for text in texts) + "\n")


def period(begin, length, trouble, usual):
    """Returns a value that is `trouble` for a number of samples, and `usual` otherwise. Both may be functions."""
    def value(i):
        chosen = trouble if begin <= i < begin + length else usual
        return chosen() if callable(chosen) else chosen
    return value


def growth(start, per_hour):
    return lambda i: start + i * per_hour / HOUR


def processors(source):
    return {
        r"\Processor(_Total)\% Processor Time": period(100, 12 * MINUTE, lambda: 97 + source.random(), lambda: 20 + 10 * source.random()),
        r"\Processor(0)\% Processor Time": period(100, 12 * MINUTE, 99, lambda: 40 * source.random()),
        r"\Processor(1)\% Processor Time": lambda i: 10 * source.random(),
        r"\Processor(_Total)\% Privileged Time": period(100, 6 * MINUTE, 60, lambda: 5 * source.random()),
        r"\Processor(0)\% DPC Time": period(20, 2 * MINUTE, 30, 0.5),
        r"\Processor(0)\% Interrupt Time": period(20, 2 * MINUTE, 15, 0.25),
        r"\System\Processor Queue Length": lambda i: None if i % 97 == 0 else 30 if 100 <= i < 110 else source.randrange(4),
        r"\Processor Information(_Total)\% Performance Limit": period(400, 6 * MINUTE, 60, 100),
    }


def memory(source):
    return {
        r"\Memory\Available MBytes": period(200, 2 * MINUTE, 48, lambda: 3000 + source.randrange(500)),
        r"\Memory\% Committed Bytes In Use": period(200, 2 * MINUTE, 95, 50),
        r"\Memory\Pages Input/sec": period(200, 6 * MINUTE, 5000, lambda: 50 * source.random()),
        r"\Memory\Pool Nonpaged Bytes": growth(200 << 20, 100 << 20),
        r"\Memory\Pool Paged Bytes": growth(300 << 20, 100 << 20),
        r"\Memory\Free System Page Table Entries": period(250, 1, 4000, 33_000_000),
        r"\Paging File(\??\C:\pagefile.sys)\% Usage": period(200, 6 * MINUTE, 90, 10),
    }


def processes(source):
    return {
        r"\Process(leaks)\Private Bytes": lambda i: 50e6 + i * (200 << 20) / HOUR + source.randrange(1 << 16) // 4096 * 4096,
        r"\Process(short)\Private Bytes": lambda i: 1e6 * (i - 400) if 400 <= i < 440 else None,
        r"\Process(calm)\Private Bytes": lambda i: 7 << 20,
        r"\Process(leaks)\Handle Count": growth(1000, 5000),
        r"\Process(leaks)\Thread Count": growth(20, 800),
    }


def disks(source):
    return {
        r"\PhysicalDisk(0 C:)\Avg. Disk sec/Read": period(440, 2 * MINUTE, 0.08, lambda: 0.004 * source.random()),
        r"\PhysicalDisk(0 C:)\Avg. Disk sec/Write": period(440, 2 * MINUTE, 0.06, lambda: 0.004 * source.random()),
        r"\PhysicalDisk(0 C:)\% Idle Time": period(440, 6 * MINUTE, 2, lambda: 80 + 20 * source.random()),
        r"\PhysicalDisk(0 C:)\Avg. Disk Queue Length": period(440, 6 * MINUTE, 50, lambda: source.random()),
        r"\LogicalDisk(C:)\% Free Space": lambda i: max(0.0, 12 - i / 50),
        r"\LogicalDisk(HarddiskVolume1)\% Free Space": lambda i: 1,
    }


def network(source):
    return {
        r"\Network Interface(wired)\Bytes Received/sec": period(360, 5 * MINUTE, lambda: 1.2e8 * (1 + source.random() / 50), lambda: 1e5 * source.random()),
        r"\Network Interface(wired)\Bytes Sent/sec": period(365, 5 * MINUTE, 1.15e8, lambda: 1e5 * source.random()),
        r"\Network Interface(wired)\Current Bandwidth": lambda i: 1e9,
        r"\Network Interface(wired)\Output Queue Length": period(360, 2 * MINUTE, 5, 0),
        r"\Network Interface(wired)\Packets Received Errors": growth(7, 100),
        r"\Network Interface(wired)\Packets Outbound Discarded": growth(0, 5000),
        r"\TCPv6\Connection Failures": growth(100, 1000),
        r"\TCPv4\Segments Retransmitted/sec": period(360, 6 * MINUTE, 40, 0),
        r"\TCPv4\Segments Sent/sec": period(50, MINUTE, 0, 400),
    }


def applications(source):
    return {
        r"\.NET CLR Memory(w3wp)\% Time in GC": period(500, 6 * MINUTE, 60, lambda: 5 * source.random()),
        r"\HTTP Service Request Queues(DefaultAppPool)\CurrentQueueSize": period(500, 2 * MINUTE, 950, 0),
        r"\ASP.NET\Requests Queued": period(500, 2 * MINUTE, 200, 0),
        r"\MSSQL$PROD:Buffer Manager\Page life expectancy": period(500, 6 * MINUTE, 100, 5000),
        r"\SQLServer:Locks(_Total)\Average Wait Time (ms)": period(500, 1, 8000, 20),
        r"\SQLServer:Locks(_Total)\Number of Deadlocks/sec": period(500, 1, 1 / INTERVAL, 0),
        r"\MSSQL$PROD:Memory Manager\Memory Grants Pending": period(500, 2 * MINUTE, 3, 0),
        r"\Hyper-V Hypervisor Logical Processor(_Total)\% Total Run Time": period(500, 6 * MINUTE, 95, 40),
    }
