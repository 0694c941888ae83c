"""Computes identities from the raw values of `hkpd dump --format json`: names, parents, ids and start times of each sample, as they
are in the input. It follows the definition in lib/FORMATS.md alone and shares no code with hkpd."""

import collections
import re

from command import folded

ELAPSED_TIME, PROCESS_ID, THREAD_ID = 0x30240500, 784, 804


def is_total(name):
    """`_Total`, and `0,_Total` of a group."""
    return name is not None and (folded(name) == "_total" or folded(name).endswith(",_total"))


def pass_over(rows):
    """Increases places whose text is the real name of another instance: if one is called `name#1`, the second `name` is `name#2`."""
    text = lambda row, place: (folded(row.parent), folded(row.name + (f"#{place}" if place else "")))  # noqa: E731
    taken = {text(row, 0) for row in rows if row.name is not None and re.search(r"#(\d+|\*)$", row.name)}
    last = {}
    for row in rows:
        if row.name is None or not row.place or not taken:
            continue
        place = max(last.get(text(row, 0), 0), row.place)
        while text(row, place) in taken:
            place += 1
        row.place, last[text(row, 0)] = place, place + 1


class Instance:
    """An instance of a sample."""

    def __init__(self, source, machine, table, row):
        self.source, self.machine, self.table, self.row = source, machine, table, row
        self.name = row["name"]
        parent = row.get("parent")
        self.of = (parent["object"], parent["ordinal"]) if parent else None
        self.parent = parent["name"] if parent else None
        self.pid = self.start = self.tid = None
        self.place = 0
        self.object = (table.get("index"), table.get("counterset"), table["name"])

    def value(self, wanted):
        """Returns whether there is such a counter, and its number."""
        for counter, value in zip(self.table["counters"], self.row["values"]):
            if wanted(counter):
                return True, value if isinstance(value, int) else None
        return False, None

    def is_of_process(self, counter):
        return counter.get("index") == PROCESS_ID or self.source == "log" and counter["name"] in ("ID Process", "Process ID")

    def is_of_thread(self, counter):
        return counter.get("index") == THREAD_ID or self.source == "log" and counter["name"] in ("ID Thread", "Thread ID")

    def unique_id(self):
        number = self.row.get("unique_id", self.row.get("id"))
        return None if number in (None, -1, 0xFFFFFFFF) else number


class Oracle:
    """Takes samples in order; `take` returns for each object the expected fields of each instance."""

    def __init__(self):
        self.lives = collections.defaultdict(list)  # of a key: what distinguishes one life from the others
        self.samples = collections.Counter()  # of a machine, source and object
        self.seen, self.counted = collections.Counter(), set()  # in this sample

    def take(self, sample):
        self.seen.clear()
        self.counted.clear()
        tables = {}
        for table in sample["objects"]:
            if table["kind"] == "multi":
                tables[id(table)] = [Instance(sample["source"], sample["machine"], table, row) for row in table["instances"]]
        by_index = {}
        for table in sample["objects"]:
            by_index.setdefault(table.get("index"), tables.get(id(table), []))
        for rows in tables.values():
            for row in rows:
                self.ids(row, by_index)
            count = collections.Counter()
            for row in rows:
                place = (folded(row.parent), folded(row.name))
                row.place = count[place]
                count[place] += 1
            pass_over(rows)
        return [self.identities(sample["source"], sample["machine"], table, tables[id(table)]) if id(table) in tables else None for table in sample["objects"]]

    def ids(self, row, by_index):
        _, row.start = row.value(lambda counter: counter["type"] == ELAPSED_TIME)
        _, row.tid = row.value(row.is_of_thread)
        row.pid = self.process_id(row, by_index, 4)

    def process_id(self, row, by_index, depth):
        if is_total(row.name) or is_total(row.parent):
            return None
        has, number = row.value(row.is_of_process)
        if has or row.of is None or depth == 0:
            return number
        parents = by_index.get(row.of[0], [])
        return self.process_id(parents[row.of[1]], by_index, depth - 1) if row.of[1] < len(parents) else None

    def identities(self, source, machine, table, rows):
        owner, fields = (source, machine, table.get("index"), table.get("counterset"), table["name"]), []
        if owner not in self.counted:
            self.counted.add(owner)
            self.samples[owner] += 1
        for row in rows:
            if row.name is None:
                fields.append(None)
                continue
            number = f"#{row.place}" if row.place else ""
            instance_id = row.unique_id() if row.pid is None else None
            has_id = row.pid is not None or instance_id is not None
            instance = row.name + ("" if has_id else number)
            key = (*owner, folded(row.parent), folded(instance), row.pid, instance_id)
            # A log can list an object twice, with other counters: its instances are the same.
            listed = (*key, id(table) if source == "log" else None)
            repeated = self.seen[listed]
            self.seen[listed] += 1
            fields.append({"parent": folded(row.parent), "instance": folded(instance), "pid": row.pid, "instance_id": instance_id,
                           "life": self.life(row, key, owner, repeated),
                           "pdh_instance": folded((f"{row.parent}/" if row.parent is not None else "") + row.name + number)})
        return fields

    def life(self, row, key, owner, repeated):
        if row.pid is None:
            return 1 + repeated
        lives, now = self.lives[key], self.samples[owner]
        started = row.start if row.pid != 0 else None
        free = [life for life in lives if life["seen"] != now and life["tid"] == row.tid]
        if started is not None:
            found = next((life for life in free if life["start"] == started), None)
        else:
            found = next((life for life in free if life["seen"] + 1 == now), None)
        if found is None:
            found = {"number": len(lives) + 1, "tid": row.tid, "start": started}
            lives.append(found)
        found["seen"] = now
        return found["number"]
