"""The cooked values of a run by series, as `hkpd replay --format jsonl` prints them."""

import dataclasses
import datetime
import json
import subprocess

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
# Counters whose instances are other ones if the id is another one, as hkpd matches them.
IDS = {"process": "id process", "thread": "id thread"}


def milliseconds(text):
    """Returns the time of a sample as milliseconds since 1970, an integer: as a double it would lose digits of slopes."""
    return (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) - EPOCH) // datetime.timedelta(milliseconds=1)


@dataclasses.dataclass
class Series:
    """One counter of one instance. `values`: a value, or None with a reason, by the time of the sample."""

    machine: str
    object: str
    instance: str
    counter: str
    type: str
    pid: object = None
    values: dict = dataclasses.field(default_factory=dict)
    reasons: dict = dataclasses.field(default_factory=dict)

    def present(self):
        """Returns times and values, without those that are missing."""
        return [(time, value) for time, value in self.values.items() if value is not None]


class Run:
    """A run of samples: `series`, and `times`, the times of all samples of each machine in order."""

    def __init__(self, hkpd, inputs, options=()):
        self.hkpd, self.inputs, self.options = hkpd, [str(i) for i in inputs], list(options)
        source = self.first_source()
        lines = self.lines("replay", "--format", "jsonl", *(["--source", source] if source else []))
        self.series, self.times, self.repeated = {}, {}, False
        for sample in samples_of(lines):
            self.add(sample)
        self.number_instances()

    def run(self, *arguments):
        command = [self.hkpd, *arguments, *self.options, *self.inputs]
        result = subprocess.run(command, capture_output=True, check=False)
        if result.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)} ends with {result.returncode}: {result.stderr.decode()}")
        return result.stdout.decode()

    def lines(self, *arguments):
        return map(json.loads, self.run(*arguments).splitlines())

    def first_source(self):
        """Returns the interface of the first sample, the one that summaries and reports show; None without samples."""
        command = [self.hkpd, "replay", "--format", "jsonl", *self.options, *self.inputs]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            line = process.stdout.readline()
            process.kill()
        return json.loads(line)["source"] if line.strip() else None

    def add(self, sample):
        first = sample[0]
        time = milliseconds(first["time"])
        times = self.times.setdefault(first["machine"], [])
        if times and time <= times[-1]:
            self.repeated = True  # clocks that go back: several values of one time
        times.append(time)
        ids, pids = self.ids_of(sample, IDS), self.ids_of(sample, {"process": "id process", "thread": "id process"})
        for line in sample:
            if line["reason"] == "not_displayable":
                continue
            place = (line["object"], line["parent"], line["instance"])
            identity = (pids.get(place), ids.get(place)) if line["instance_name"] != "_Total" else (None, None)
            # With an id, `name#1` may become `name` when another process ends; without one, the name is all there is.
            name = line["instance_name"] if identity[1] is not None else line["instance"]
            key = (line["machine"], line["object"], line["parent"], name, identity, line["counter"], line["counter_index"], line["type"])
            if key not in self.series:
                self.series[key] = Series(line["machine"], line["object"], line["instance"], line["counter"], line["type"], identity[0])
            series = self.series[key]
            series.values[time] = line["value"]
            if line["value"] is None:
                series.reasons[time] = line["reason"]

    @staticmethod
    def ids_of(sample, counters):
        """Returns the values of counters, one for each object, by the instance in the sample."""
        return {(line["object"], line["parent"], line["instance"]): line["raw"] for line in sample
                if counters.get((line["object"] or "").casefold()) == (line["counter"] or "").casefold()}

    def number_instances(self):
        """Names processes and threads as they are named in a whole run: the n-th one of a name has `#n`, whatever its number
        in single samples was."""
        numbers = {}
        for (machine, name, parent, instance, identity, *_), series in self.series.items():
            if identity[1] is not None:
                known = numbers.setdefault((machine, name, parent, instance), {})
                number = known.setdefault(identity, len(known))
                series.instance = f"{parent}/" * bool(parent) + instance + (f"#{number}" if number else "")

    def summary(self):
        """Returns the rows of `hkpd replay --summary`."""
        return list(self.lines("replay", "--summary", "--format", "jsonl"))


def samples_of(lines):
    """Yields the lines of each sample: those of one time and machine, until the first of them comes again."""
    sample, begin = [], None
    for line in lines:
        here = tuple(line[key] for key in ("time", "machine", "source"))
        name = (*here, *(line[key] for key in ("object", "object_index", "parent", "instance", "counter", "counter_index", "type")))
        if sample and (here != begin[:3] or name == begin):
            yield sample
            sample = []
        if not sample:
            begin = name
        sample.append(line)
    if sample:
        yield sample
