"""What a text log is drawn from: a plan has a choice for each way in which logs of people differ.

The first choice of each list is the plain one. `simpler` returns the plans that have one choice less than a plan, which is
how a failure is reduced to the smallest log that shows it.
"""
import dataclasses
import random
import re

# The choices, with the plain one first. Most logs take several others, each with the probability in `draw`.
CHOICES = {
    "encoding": ["utf-8", "utf-8 mark", "utf-16-le", "utf-16-be", "cp1252", "cp1251", "cp1250", "cp932", "cp936", "cp949"],
    # How the encoding is known where no mark and no valid UTF-8 show it.
    "known_by": ["option", "zone", "nothing"],
    # What follows in another encoding: the rows from the middle, or a second run with its own header.
    "part": ["none", "mark", "utf-16-le", "utf-16-le mark", "utf-8", "utf-8 mark", "code page"],
    "line_end": ["\r\n", "\n", "\r\r\n", "\r"],
    "tail": ["line end", "nothing", "zeroes", "typeperf"],
    "blank_lines": ["none", "first", "between"],
    "separator": [",", ";", "\t"],
    "quotes": [True, False],
    "comma": [False, True],
    "numbers": ["digits", "six", "integers"],
    "header": ["kind", "no zone", "Time", "Timestamp", "Date", "", "suffix", "cut", "cut in the zone", "Date and Time"],
    # The order of dates under headings of people's own, and the form of the time of day.
    "date": ["us", "iso", "german", "french", "japanese"],
    "clock": ["milliseconds", "seconds", "12 hours"],
    "zone_words": ["English", "local"],
    "log_tz": [False, True],
    "change": ["none", "live", "converted"],
    "language": ["English", "German", "French", "Polish", "Czech", "Russian", "Turkish", "Japanese", "Chinese", "Korean"],
    "machine": ["SRV1", "", "two"],
    "missing": ["none", "", " ", "-1", "-1.#IND", "#NV", "N/A"],
    "uneven": ["none", "more", "fewer", "empty last cell", "empty last cells", "empty last column", "heading without column",
               "column without heading"],
    "damage": ["none", "letter", "two marks", "text", "thousands", "time"],
    "runs": ["one", "same columns", "other columns", "rows go back"],
    "own": ["none", "last", "middle", "only", "comment", "comment of the log"],
}
PROBABILITY = {"encoding": 0.5, "part": 0.12, "line_end": 0.4, "tail": 0.3, "blank_lines": 0.15, "separator": 0.4, "quotes": 0.3,
               "comma": 0.25, "header": 0.5, "date": 0.6, "clock": 0.5, "zone_words": 0.3, "log_tz": 0.4, "change": 0.25,
               "language": 0.5, "machine": 0.2, "uneven": 0.15, "damage": 0.15, "runs": 0.15, "own": 0.15}
# What encodings can express the names and the zone of a language.
CODE_PAGES = {"English": "cp1252", "German": "cp1252", "French": "cp1252", "Polish": "cp1250", "Czech": "cp1250", "Russian": "cp1251",
              "Turkish": "utf-8", "Japanese": "cp932", "Chinese": "cp936", "Korean": "cp949"}
WORDS = {"": "empty", " ": "blank", "-1": "minus-one", "\n": "lf", "\r\r\n": "cr-cr-lf", "\r": "cr", ";": "semicolon", "\t": "tab"}


def word(choice):
    """Returns a choice as a word for names of files and for options."""
    return WORDS.get(choice) or re.sub("[^a-z0-9]+", "-", str(choice).lower()).strip("-")


@dataclasses.dataclass(frozen=True)
class Plan:
    seed: int
    rows: int = 2
    columns: int = 1
    encoding: str = "utf-8"
    known_by: str = "option"
    part: str = "none"
    line_end: str = "\r\n"
    tail: str = "line end"
    blank_lines: str = "none"
    separator: str = ","
    quotes: bool = True
    comma: bool = False
    numbers: str = "digits"
    header: str = "kind"
    date: str = "us"
    clock: str = "milliseconds"
    zone_words: str = "English"
    log_tz: bool = False
    change: str = "none"
    language: str = "English"
    machine: str = "SRV1"
    missing: str = "none"
    uneven: str = "none"
    damage: str = "none"
    runs: str = "one"
    own: str = "none"

    def has_code_page(self):
        return self.encoding.startswith("cp")

    def states_zone(self):
        return self.header in ("kind", "suffix")


def draw(seed):
    """Returns the plan of a seed."""
    dice = random.Random(f"plan {seed}")
    chosen = {}
    for name, choices in CHOICES.items():
        chosen[name] = dice.choice(choices[1:]) if dice.random() < PROBABILITY.get(name, 0.6) else choices[0]
    if chosen["encoding"].startswith("cp"):
        fitting = [language for language, page in CODE_PAGES.items() if page == chosen["encoding"]]
        chosen["language"] = dice.choice(fitting)
    return settle(Plan(seed=seed, rows=dice.choice([2, 3, 5, 8, 13, 30]), columns=dice.choice([1, 2, 3, 5, 8]), **chosen))


def settle(plan):
    """Returns a plan without the choices that contradict others: there are no such logs."""
    change = {}
    if plan.has_code_page() and CODE_PAGES[plan.language] != plan.encoding:
        change["language"] = next(language for language, page in CODE_PAGES.items() if page == plan.encoding)
    if not plan.has_code_page():
        change["known_by"] = "option"
    elif plan.known_by == "zone" and not plan.states_zone():
        change["known_by"] = "nothing"
    if plan.part != "none":
        # A part in another encoding needs rows after the change; NUL padding of one encoding does not fit the other.
        change["tail"] = "line end"
        if plan.part == "mark" and plan.encoding not in ("utf-8 mark", "utf-16-le", "utf-16-be"):
            change["part"] = "none"
        if plan.part == plan.encoding or plan.part == "code page" and plan.has_code_page():
            change["part"] = "none"
        if plan.part.endswith("mark") and plan.part == plan.encoding:
            change["part"] = "mark"
    if plan.part == "utf-8" and plan.has_code_page() and plan.known_by == "option":
        change["part"] = "utf-8 mark"  # a stated encoding is that of all that no byte order mark precedes
    if plan.uneven == "heading without column" and plan.tail == "nothing":
        # The only row of a log could have been cut off.
        change["rows"] = max(plan.rows, 2)
    if plan.comma and plan.separator == ",":
        change["quotes"] = True
    if plan.tail == "typeperf" and plan.line_end == "\r":
        change["tail"] = "line end"
    if plan.header in ("kind", "no zone", "suffix", "cut", "cut in the zone"):
        change["date"], change["clock"] = "us", "milliseconds"
    if plan.states_zone():
        change["log_tz"] = False
    elif plan.change == "converted":
        change["change"] = "live"
    if not plan.states_zone():
        change["zone_words"] = "English"
    if plan.own == "only":
        change["columns"], change["machine"] = 1, "SRV1"
        if plan.header not in ("kind", "no zone"):
            change["own"] = "last"
        if plan.uneven != "none":
            change["own"] = "last"
    # A heading without a column that is no counter path is a comment on the log.
    if plan.own.startswith("comment") and plan.uneven != "none" or plan.own != "none" and plan.uneven == "heading without column":
        change["own"] = "none"
    if plan.uneven == "fewer" and plan.columns < 2:
        change["columns"] = 2
    if plan.machine == "two" and plan.columns < 2 and plan.own != "only":
        change["columns"] = 2
    if plan.runs == "rows go back" and plan.change != "none":
        change["change"] = "none"
    if plan.numbers == "integers":
        change["comma"] = False
    settled = dataclasses.replace(plan, **change)
    return settled if settled == plan else settle(settled)


def without(plan, left_out):
    """Returns a plan with the plain choice in place of those that are left out, each as NAME=WORD."""
    plain = {name: choices[0] for name, choices in CHOICES.items() if f"{name}={word(getattr(plan, name))}" in left_out}
    return settle(dataclasses.replace(plan, **plain))


def simpler(plan):
    """Returns plans that are simpler than a plan by one choice, the greatest steps first."""
    for name in ("rows", "columns"):
        for fewer in sorted({1, 2, getattr(plan, name) // 2, getattr(plan, name) - 1}):
            if 0 < fewer < getattr(plan, name):
                yield settle(dataclasses.replace(plan, **{name: fewer}))
    for name, choices in CHOICES.items():
        if getattr(plan, name) != choices[0]:
            yield settle(dataclasses.replace(plan, **{name: choices[0]}))
