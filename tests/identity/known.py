"""A random run whose truth is known: each value of its tokens shows whose it is."""

import re
import collections
import datetime
import json

from command import IDENTITY, folded

TOKENS = {"Process": "Handle Count", "Thread": "Priority Current", "Image": "No Access", "PhysicalDisk": "Current Disk Queue Length",
          "LogicalDisk": "Free Megabytes", "Print Queue": "Jobs", "Waves": "Height"}
EPOCH = datetime.datetime(1601, 1, 1)


def times(filetime, form="%Y-%m-%dT%H:%M:%S"):
    time = EPOCH + datetime.timedelta(microseconds=filetime // 10)
    return time.strftime(form) + f".{time.microsecond // 1000:03}" + ("Z" if "T" in form else "")


class Row:
    """What hkpd is to show for a row of a sample."""

    def __init__(self, sample, table, row):
        self.source, self.machine, self.object = sample["source"], sample["machine"], table["name"]
        self.time, self.token, self.identity = sample["time"], row["token"], row["identity"]
        self.parent, self.name, self.place, self.start, self.tid = row["parent"], row["name"], row["place"], row["start"], row["tid"]
        self.pid = row["pid"]
        self.instance_id = row["instance_id"] if self.pid is None else None
        number = f"#{self.place}" if self.place else ""
        self.has_id = self.pid is not None or self.instance_id is not None
        self.instance = self.name + ("" if self.has_id else number)
        self.before = f"{self.parent}/" if self.parent is not None else ""
        self.pdh = self.before + self.name + number
        self.life = self.display = None  # known when all rows are

    def group(self):
        return (self.source, self.machine, self.object, folded(self.parent), folded(self.name))

    def key(self):
        return (self.source, self.machine, self.object, folded(self.parent), folded(self.instance), self.pid, self.instance_id)

    def names_with_id(self, zeros=0):
        """Returns the names of parent and instance, with the id where it is written."""
        number = self.pid if self.pid is not None else self.instance_id
        id_text = f":{'-' if number < 0 else ''}{'0' * zeros}{abs(number)}"
        if self.pid is not None and self.parent is not None:
            return self.parent + id_text, self.name
        return self.parent, self.name + id_text

    def keys_with_id(self, zeros):
        parent, name = self.names_with_id(zeros)
        return [(self.source, self.machine, self.object, folded(parent), folded(text)) for text in (name, f"{name}:{self.life}")]

    def id_text(self, zeros=0):
        parent, name = self.names_with_id(zeros) if self.has_id else (self.parent, self.instance)
        return name if parent is None else f"{parent}/{name}"

    def ends_like_id(self):
        return re.search(r":-?\d+$", self.name) is not None

    def fields(self):
        return {"machine": self.machine, "source": self.source, "object": self.object, "parent": folded(self.parent),
                "instance": folded(self.instance), "pid": self.pid, "instance_id": self.instance_id, "life": self.life,
                "pdh_instance": folded(self.pdh)}

    def __str__(self):
        return (f"token {self.token}: {self.source} {self.machine} {self.object}({self.pdh}) pid {self.pid} tid {self.tid} "
                f"instance_id {self.instance_id} start {self.start} life {self.life} identity {self.identity}, {times(self.time)}")


def read_truth(path):
    truth = json.loads(path.read_text(encoding="utf-8"))
    rows = [Row(sample, table, row) for sample in truth["samples"] for table in sample["objects"] for row in table["rows"]]
    lives, names = collections.defaultdict(list), collections.defaultdict(set)
    for row in rows:
        of_key = lives[row.key()]
        if row.identity not in of_key:
            of_key.append(row.identity)
        row.life = of_key.index(row.identity) + 1
        names[row.group()].add(row.identity)
    real = {(row.source, row.machine, row.object, folded(row.parent), folded(row.name)) for row in rows}
    for row in rows:
        written = re.search(r":(-?\d+)$", row.name)
        own = written and row.source == "v2" and row.pid == int(written[1])
        like = written or re.search(r"#(\d+|\*)$", row.name) or (row.parent and re.search(r":-?\d+$", row.parent))
        with_id = len(names[row.group()]) > 1 or (row.has_id and like and not own)
        row.text, zeros = row.id_text() if with_id else row.before + row.instance, 0
        while with_id and row.has_id and real & set(row.keys_with_id(zeros)):
            zeros += 1
            row.text = row.id_text(zeros)
        row.always_life = with_id and row.has_id and row.ends_like_id()
    for row in rows:
        several = len(lives[row.key()]) > 1
        row.display = row.text + (f":{row.life}" if several or row.always_life else "")
    return truth, rows


class Run:
    def __init__(self, command, report, folder, seed):
        self.command, self.report = command, report
        self.truth, self.rows = read_truth(folder / f"{seed}.json")
        self.path = folder / self.truth["file"]
        self.kind = f"{self.path.suffix[1:]}{', names like labels' if self.truth['imitations'] else ''}"
        self.of_token = {row.token: row for row in self.rows}
        self.of_identity = collections.defaultdict(list)
        for row in self.rows:
            self.of_identity[row.identity].append(row)
        self.machines = sorted({row.machine for row in self.rows})

    def check(self):
        self.line_formats()
        self.document()
        for source in sorted({row.source for row in self.rows}):
            self.one_interface(source)
        self.paths()

    # ---- outputs with all fields ----

    def take(self, output, fields, value, names=(), counted=None):
        """Compares the fields that an output has at a value of a token with the truth."""
        row = self.of_token.get(int(value)) if value is not None else None
        if row is None:
            self.report.difference(output, f"{self.path.name}: value {value} is none of the run's: {fields}")
            return
        missing = [name for name in names if name not in fields]
        if missing:
            self.report.difference(output, f"{self.path.name}: no {', '.join(missing)}: {fields}")
            return
        expected = row.fields()
        found = {name: folded(fields[name]) if name in ("parent", "instance", "pdh_instance") else fields[name] for name in names}
        self.report.equal(output, f"{self.path.name} ({self.kind}): {row}", found, {name: expected[name] for name in names})
        if counted is not None:
            counted[(tuple(sorted(found.items(), key=str)))].add(row.identity)

    def all_there(self, output, values, source=None, objects=None):
        expected = {row.token for row in self.rows if source in (None, row.source) and (objects is None or row.object in objects)}
        found = [int(value) for value in values if value is not None]
        self.report.equal(output, f"{self.path.name}: values that are missing, additional or repeated",
                          [sorted(expected - set(found))[:9], sorted(set(found) - expected)[:9], len(found)], [[], [], len(expected)])

    def one_to_one(self, output, counted):
        for fields, identities in counted.items():
            self.report.equal(output, f"{self.path.name}: identities of {fields}", len(identities), 1)

    def line_formats(self):
        for name, lines in (("csv", self.command.csv("replay", self.path)), ("jsonl", self.command.jsonl("replay", self.path)),
                            ("dump csv", self.command.csv("dump", self.path)), ("dump jsonl", self.command.jsonl("dump", self.path))):
            tokens = [line for line in lines if TOKENS[line["object"]] == line["counter"]]
            counted = collections.defaultdict(set)
            for line in tokens:
                self.take(name, line, line["raw"], ("machine", "source", "object", *IDENTITY, "pdh_instance"), counted)
            self.all_there(name, [line["raw"] for line in tokens])
            self.one_to_one(name, self.without_place(counted))

    @staticmethod
    def without_place(counted):
        merged = collections.defaultdict(set)
        for fields, identities in counted.items():
            merged[tuple(pair for pair in fields if pair[0] != "pdh_instance")] |= identities
        return merged

    def document(self):
        for name, document in (("json", self.command.json("replay", self.path)), ("dump json", self.command.json("dump", self.path))):
            values = []
            for sample in document["samples"]:
                for table in sample["objects"]:
                    column = [counter["name"] for counter in table["counters"]].index(TOKENS[table["name"]])
                    for instance in table["instances"]:
                        values.append(instance["values"][column])
                        fields = {**instance, "machine": sample["machine"], "source": sample["source"], "object": table["name"]}
                        # `parent` of the document has the parent's place, too; V2 has none.
                        if isinstance(fields.setdefault("parent", None), dict):
                            fields["parent"] = fields["parent"]["name"]
                        self.take(name, fields, values[-1], ("machine", "source", "object", *IDENTITY, "pdh_instance"))
            self.all_there(name, values)

    # ---- outputs of one interface ----

    def token_paths(self, source):
        objects = sorted({row.object for row in self.rows if row.source == source})
        return objects, [argument for name in objects for argument in ("--path", f"\\{name}(*)\\{TOKENS[name]}")]

    def one_interface(self, source):
        objects, paths = self.token_paths(source)
        options = ["replay", self.path, "--source", source]
        for filtered in ([], paths):
            self.summaries(source, [*options, *filtered])
            self.database([*options, *filtered], source)
            self.metrics([*options, *filtered], source)
        self.buckets([*options, *paths])
        self.places(options, objects, source)
        for name in objects:
            self.labels(options, source, name)

    def summaries(self, source, options):
        for name, rows in (("summary csv", self.command.csv(*options, "--summary")),
                           ("summary jsonl", self.command.jsonl(*options, "--summary")),
                           ("summary json", self.command.json(*options, "--summary")["rows"])):
            seen = []
            for row in rows:
                if TOKENS[row["object"]] != row["counter"]:
                    continue
                identity, count = self.series(name, row)
                seen.append(identity)
                self.report.equal(name, f"{self.path.name}: number of values of {row}", int(row["count"]), count)
            self.report.equal(name, f"{self.path.name}: one line for each identity", collections.Counter(seen),
                              collections.Counter({row.identity: 1 for row in self.rows if row.source == source}))

    def series(self, name, row):
        """Compares a line with statistics; returns its identity and the number of values that it should have."""
        low, high = float(row["min"] or 0), float(row["max"] or 0)
        self.take(name, row, low, ("machine", "source", "object", *IDENTITY))
        self.report.equal(name, f"{self.path.name}: identities of minimum and maximum of {row}", high // 1000, low // 1000)
        return int(low // 1000), len(self.of_identity[int(low // 1000)])

    def buckets(self, options):
        counts = collections.Counter()
        for name, rows in (("bucket csv", self.command.csv(*options, "--bucket", "3s")),
                           ("bucket jsonl", self.command.jsonl(*options, "--bucket", "3s"))):
            counts.clear()
            for row in rows:
                identity, _ = self.series(name, row)
                counts[identity] += int(row["count"])
            for identity, count in counts.items():
                self.report.equal(name, f"{self.path.name}: number of values of identity {identity}", count, len(self.of_identity[identity]))
        rows, error = self.command.database("SELECT * FROM buckets JOIN series ON series.id = series", *options, "--bucket", "3s")
        if error:
            self.report.difference("bucket sqlite", f"{self.path.name}: {error}")
        for row in map(dict, rows):
            self.report.equal("bucket sqlite", f"{self.path.name}: identities of {row}", row["max"] // 1000, row["min"] // 1000)
            self.take("bucket sqlite", row, row["min"], ("machine", "object", *IDENTITY))

    def database(self, options, source):
        query = "SELECT * FROM data JOIN series ON series.id = series JOIN records ON records.id = record"
        rows, error = self.command.database(query, *options)
        if error:
            self.report.difference("sqlite", f"{self.path.name}: {error}")
            return
        tokens = [dict(row) for row in rows if TOKENS[row["object"]] == row["counter"]]
        for row in tokens:
            self.take("sqlite", row, row["value"], ("machine", "object", *IDENTITY))
        self.all_there("sqlite", [row["value"] for row in tokens], source)

    def metrics(self, options, source):
        values, labels = [], collections.defaultdict(set)
        for (name, counter), found, value, _ in self.command.metrics(*options):
            if TOKENS[name] != counter:
                continue
            values.append(value)
            row = self.of_token.get(int(value))
            if row is None:
                self.report.difference("openmetrics", f"{self.path.name}: value {value} is none of the run's: {found}")
                continue
            labels[(name, *sorted((key, folded(text)) for key, text in found.items()))].add(row.identity)
            number = {"pid": found.get("pid"), "life": found.get("life", "1")}
            expected = {"pid": None if row.pid is None else str(row.pid), "life": str(row.life)}
            self.report.equal("openmetrics", f"{self.path.name}: {row}: {found}",
                              {"machine": found.get("machine"), "parent": folded(found.get("parent")), "instance": folded(found.get("instance")), **number},
                              {"machine": row.machine, "parent": folded(row.parent), "instance": folded(row.instance), **expected})
            if "instance_id" in found:
                self.report.equal("openmetrics", f"{self.path.name}: {row}: {found}", found["instance_id"], str(row.instance_id))
        self.one_to_one("openmetrics", labels)
        self.all_there("openmetrics", values, source)

    def places(self, options, objects, source):
        """Columns of PDH's logs are places: at each time the value of another one, perhaps."""
        values = []
        for time, column, cell in self.command.pdh(*options):
            machine, rest = column[2:].split("\\", 1)
            name, rest = next((name, rest[len(name) + 1:]) for name in objects if rest.startswith(name + "("))
            instance, counter = rest.rsplit(")\\", 1)
            if counter != TOKENS[name]:
                continue
            values.append(float(cell))
            row = self.of_token.get(int(float(cell)))
            self.report.equal("pdh-csv", f"{self.path.name}: {row} in {column}", (machine, name, folded(instance), time),
                              (row.machine, row.object, folded(row.pdh), times(row.time, "%m/%d/%Y %H:%M:%S")) if row else None)
        doubled = self.ambiguous_places()
        lost = {row.token for row in self.rows if row.token in doubled}
        if not lost:  # two rows of one column have one cell
            self.all_there("pdh-csv", values, source)

    def ambiguous_places(self):
        """Returns the tokens of rows which PDH's names do not distinguish in their sample: the place 1 of `a`, and a real `a#1`."""
        count = collections.defaultdict(list)
        for row in self.rows:
            count[(row.source, row.machine, row.object, row.time, folded(row.pdh))].append(row.token)
        return {token for tokens in count.values() if len(tokens) > 1 for token in tokens}

    def labels(self, options, source, name):
        """Text has one string for each identity."""
        for machine in self.machines:
            rows = [row for row in self.rows if (row.source, row.machine, row.object) == (source, machine, name)]
            if not rows:
                continue
            path = f"\\\\{machine}\\{name}(*)\\{TOKENS[name]}"
            # Text rounds values, so that labels alone are compared, as often as there are identities.
            printed = sorted(folded(label) for _, label, _ in self.command.summary_labels(name, TOKENS[name], *options, "--path", path))
            expected = {row.identity: folded(row.display) for row in rows}
            self.report.equal("summary text", f"{self.path.name} ({self.kind}): labels of {path}", printed, sorted(expected.values()))
            self.one_to_one("summary text", {label: {identity for identity in expected if expected[identity] == label} for label in printed})
            self.timeline(options, path, rows)

    def timeline(self, options, path, rows):
        """Headings are shown before the run has ended: with the process id, or as long as only one had the name, without other ids."""
        known = {"".join(folded(form).split()) for row in rows for form in (row.display, *self.forms(row))}
        for _, heading, title, _ in self.command.timeline(*options, "--path", path):
            if "(*)" not in title:  # one column, whose instance the title names
                heading = title.split("(", 1)[1].rsplit(")", 1)[0]
            heading = "".join(heading.split())
            self.report.equal("timeline", f"{self.path.name} ({self.kind}): heading {heading} of {path} is a label", folded(heading) in known or len({row.identity for row in rows}) == 1, True)

    def forms(self, row):
        """Returns the texts of an identity with and without ids and life."""
        parent = "" if row.parent is None else row.parent
        with_id = (f"{parent}:{row.pid}/{row.instance}" if parent else f"{row.instance}:{row.pid}") if row.pid is not None else None
        plain = f"{parent}/{row.instance}" if parent else row.instance
        texts = [plain] + ([with_id] if with_id else []) + ([f"{plain}:{row.instance_id}"] if row.instance_id is not None else [])
        return texts + [f"{text}:{row.life}" for text in texts]

    # ---- names given back ----

    def selects(self, labels):
        """Returns the tokens that these labels select: of (machine, object, label) each."""
        paths = [argument for machine, name, label in labels for argument in ("--path", f"\\\\{machine}\\{name}({label})\\{TOKENS[name]}")]
        return {line["raw"] for line in self.command.jsonl("replay", self.path, *paths)}

    def exact(self, output, expected):
        """Each label must return exactly its values. Labels are tried in groups: those whose number has a certain bit, and those
        whose number does not. Any two labels are in different groups once, in which a value of the other one shows."""
        labels = sorted(expected)
        bad = False
        for bit in range(max(1, (len(labels) - 1).bit_length())):
            for side in (0, 1):
                group = [label for number, label in enumerate(labels) if number >> bit & 1 == side]
                if group and self.selects(group) != set().union(*(expected[label] for label in group)):
                    bad = True
        self.report.compared[output] += len(labels)
        if not bad:
            return
        for label in labels:
            found = self.selects([label])
            if found != expected[label]:
                show = lambda tokens: [f"\n      {self.of_token[token]}" for token in sorted(tokens)[:3]]  # noqa: E731
                self.report.difference(output, f"{self.path.name} ({self.kind}): {label} selects {len(found)} values of {len(expected[label])};"
                                               f" additional: {''.join(show(found - expected[label]))}\n    missing: {''.join(show(expected[label] - found))}")

    def paths(self):
        displays, places, ids = (collections.defaultdict(set) for _ in range(3))
        ambiguous = self.ambiguous_places()
        real = {(row.machine, row.object, folded(text)) for row in self.rows for text in (row.pdh, row.before + row.name)}
        labels = {(row.machine, row.object, folded(text)) for row in self.rows if row.has_id for text in (row.id_text(), f"{row.id_text()}:{row.life}")}
        spelling = {}
        with_ids = {row.group() for row in self.rows if row.has_id}
        for row in self.rows:
            where = (row.machine, row.object)
            spell = lambda text: (*where, spelling.setdefault((*where, folded(text)), text))  # noqa: E731
            # A place is selected wherever it is, also if in another sample an instance with an id is there.
            if row.has_id or row.group() not in with_ids:
                displays[spell(row.display)].add(row.token)
            if row.token in ambiguous:
                self.report.note("rows whose places two rows of a sample have: a real name like a place")
            elif (*where, folded(row.pdh)) in labels:
                # Where no instance has this place, it is the label; a later sample, in which one has, is not known then.
                self.report.note("places whose text is another's label with an id")
            else:
                places[spell(row.pdh)].add(row.token)
            if row.has_id:
                for text in [f"{row.id_text()}:{row.life}"] + [row.id_text()] * (not row.ends_like_id()):
                    if (*where, folded(text)) in real:
                        self.report.note("labels with ids that are also real names")
                    else:
                        ids[spell(text)].add(row.token)
        # A place that is ambiguous in one sample returns the real name there.
        for row in self.rows:
            if row.token in ambiguous:
                places.pop((row.machine, row.object, spelling.get((row.machine, row.object, folded(row.pdh)))), None)
        self.exact("path with display", displays)
        self.exact("path with place", places)
        self.exact("path with ids", ids)

    # ---- the package ----

    def frame(self, lines):
        """Compares the data frame that the Python package reads."""
        tokens = [line for line in lines if TOKENS[line["object"]] == line["counter"]]
        for line in tokens:
            self.take("Python read", line, line["raw"], ("machine", "object", *IDENTITY))
        self.all_there("Python read", [line["raw"] for line in tokens])
