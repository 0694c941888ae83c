"""The cooked values of a run by series, as `hkpd replay --format jsonl` prints them."""

import copy
import dataclasses
import datetime
import json
import re
import subprocess

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def milliseconds(text):
    """Returns the time of a sample as milliseconds since 1970, an integer: as a double it would lose digits of slopes."""
    return (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) - EPOCH) // datetime.timedelta(milliseconds=1)


@dataclasses.dataclass
class Series:
    """One counter of one instance. `instance`: its text, unique in the object; `name`: without what makes it unique.
    `values`: a value, or None with a reason, by the time of the sample."""

    machine: str
    object: str
    instance: str
    name: str
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
        self.show_instances()

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
        for line in sample:
            if line["reason"] == "not_displayable":
                continue
            identity = tuple(line[key] for key in ("machine", "object", "parent", "instance", "pid", "instance_id", "life"))
            key = (identity, line["counter"], line["counter_index"], line["type"])
            if key not in self.series:
                self.series[key] = Series(line["machine"], line["object"], "", "", line["counter"], line["type"], line["pid"])
            series = self.series[key]
            series.values[time] = line["value"]
            if line["value"] is None:
                series.reasons[time] = line["reason"]

    def show_instances(self):
        """Sets names and texts: the name alone if it is unique in the run, otherwise with the id or the place."""
        self.names, lives = {}, {}
        for identity in {key[0] for key in self.series}:
            *_, life = identity
            self.names.setdefault(full_name(identity), set()).add(identity)
            lives.setdefault(ids_of(identity), set()).add(life)
        for (identity, *_), series in self.series.items():
            _, _, parent, instance, pid, instance_id, life = identity
            before = "" if parent is None else parent + "/"
            series.name = before + bare(identity)
            series.instance = before + (instance or "")
            if self.is_repeated(identity):
                if pid is not None:
                    series.instance = f"{instance}:{pid}" if parent is None else f"{parent}:{pid}/{instance}"
                elif instance_id is not None:
                    series.instance += f":{instance_id}"
            if len(lives[ids_of(identity)]) > 1:
                series.instance += f":{life}"

    def by_name(self):
        """Returns the run with one series for all instances of a name, which has the sums of their values: two runs have no
        more of processes in common than names."""
        run = copy.copy(self)
        run.series = {}
        for (identity, *counter), series in self.series.items():
            key = (full_name(identity), *counter)
            if key not in run.series:
                run.series[key] = dataclasses.replace(series, instance=series.name, pid=None, values={}, reasons={})
            total = run.series[key]
            if not total.instance.endswith("#*") and self.is_repeated(identity):
                total.instance += "#*"
            for time, value in series.values.items():
                if total.values.get(time) is None:
                    total.values[time] = value
                elif value is not None:
                    total.values[time] += value
            for time, reason in series.reasons.items():
                total.reasons.setdefault(time, reason)
        return run

    def is_repeated(self, identity):
        return len(self.names[full_name(identity)]) > 1

    def summary(self):
        """Returns the rows of `hkpd replay --summary`."""
        return list(self.lines("replay", "--summary", "--format", "jsonl"))


def bare(identity):
    """Returns the name of an instance without `#n`, which only those have that no id distinguishes."""
    _, _, _, instance, pid, instance_id, _ = identity
    return re.sub("#[0-9]+$", "", instance or "") if pid is None and instance_id is None else instance


def full_name(identity):
    machine, name, parent, *_ = identity
    return machine, name, parent is None, (parent or "").casefold(), bare(identity).casefold()


def ids_of(identity):
    """Returns all but the life."""
    _, _, _, instance, pid, instance_id, _ = identity
    return full_name(identity), (instance or "").casefold(), pid, instance_id


def samples_of(lines):
    """Yields the lines of each sample: those of one time and machine, until the first of them comes again."""
    sample, begin = [], None
    for line in lines:
        here = tuple(line[key] for key in ("time", "machine", "source"))
        name = (*here, *(line[key] for key in ("object", "object_index", "pdh_instance", "counter", "counter_index", "type")))
        if sample and (here != begin[:3] or name == begin):
            yield sample
            sample = []
        if not sample:
            begin = name
        sample.append(line)
    if sample:
        yield sample
