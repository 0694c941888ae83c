"""Claims about a machine as `hkpd top` and `hkpd report` print them: entries of a document's `verdict`, lines of text, and the
element of a page. A claim states that a resource was at its limit, that a process had no more of it, or that something grows
without end; no claims are entries of the kinds in NO_CLAIM, of the area `missing`, and sentences that deny ("nothing", "no ...")."""

import dataclasses
import html.parser
import re

AREAS = ("processor", "memory", "disk", "network", "growth")
NO_CLAIM = ("no_limit", "not_growing", "not_recorded", "too_short")
WORDS = {"processor": r"processor|\bCPU", "memory": r"memory|RAM\b|page|paging", "disk": r"disk", "network": r"network|interface|bandwidth",
         "growth": r"grow|private bytes|leak", "handles": r"handle"}
CLAIM = re.compile(r"\b(limited|(was|were|is|are) the limit|at (its|their) limit|saturated|exhausted|ran out|bottleneck|overloaded|too slow|growing|grows|leak\w*|short of|low on|fully used)\b", re.I)
DENIAL = re.compile(r"\b(no|not|nothing|none|neither|nor|never|without|cannot|isn't|wasn't)\b", re.I)
BLOCKS = {"p", "li", "div", "tr", "h1", "h2", "h3", "h4", "h5", "dt", "dd", "br", "section", "summary", "ul", "ol", "table"}
NO_END = {"br", "img", "hr", "input", "meta", "link", "col", "wbr", "source"}


@dataclasses.dataclass
class Claim:
    area: str
    text: str
    fields: dict


def plain(text):
    return " ".join(text.split())


def claims_of(document):
    """Returns the claims of a document of JSON, in its order; raises ValueError if it has no verdict in the form agreed on."""
    if not isinstance(document, dict) or "verdict" not in document:
        raise ValueError("no member `verdict` in the JSON")
    if not isinstance(document["verdict"], list):
        raise ValueError("`verdict` is no array")
    result = []
    for entry in document["verdict"]:
        if not isinstance(entry, dict) or not isinstance(entry.get("area"), str) or not isinstance(entry.get("text"), str):
            raise ValueError(f"an entry of `verdict` has no `area` and `text`: {str(entry)[:100]}")
        if entry["area"] == "missing" or entry.get("kind") in NO_CLAIM or re.match(r"\s*(no|nothing|none|not|neither)\b", entry["text"], re.I):
            continue
        if entry["area"] not in AREAS:
            raise ValueError(f"`verdict` claims something of the area {entry['area']!r}, expected one of {', '.join(AREAS)}")
        result.append(Claim(entry["area"], entry["text"], entry))
    return result


def values_of(value):
    """Yields all strings and numbers within a value of JSON."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from values_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from values_of(inner)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield value


class _Element(html.parser.HTMLParser):
    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name, self.depth, self.parts, self.found = name, 0, [], 0

    def handle_starttag(self, tag, attributes):
        if self.depth:
            if tag in BLOCKS:
                self.parts.append("\n")
            self.depth += tag not in NO_END
        elif ("id", self.name) in attributes:
            self.depth, self.found = 1, self.found + 1

    def handle_endtag(self, tag):
        if self.depth and tag not in NO_END:
            self.depth -= 1
            if tag in BLOCKS:
                self.parts.append("\n")

    def handle_data(self, data):
        if self.depth:
            self.parts.append(data)


def element_lines(page, name):
    """Returns the lines of text of the element with this id; raises ValueError if the page does not have it exactly once."""
    reader = _Element(name)
    reader.feed(page)
    if reader.found != 1:
        raise ValueError(f"the page has {reader.found} elements with the id {name}")
    return [plain(line) for line in "".join(reader.parts).split("\n") if line.strip()]


def text_lines(text):
    """Returns the lines of top's text that are not of its table, nor the first ones, which state the machine and what the table has."""
    result, in_table = [], False
    for line in text.splitlines():
        if re.search(r"\bPID\b.*\bCPU s\b", line):
            in_table = True
        elif in_table and re.match(r"\S.*?\s{2,}\d+\s{2,}", line):
            continue
        elif line.strip() and not re.match(r"machine \S|\d+ of \d+ process", line):
            in_table = False
            # A line that is indented continues the one before.
            if result and line.startswith(" "):
                result[-1] += " " + plain(line)
            else:
                result.append(plain(line))
    return result


def claiming(lines):
    """Returns the lines that claim something, and do not deny it."""
    return [line for line in lines if CLAIM.search(line) and not DENIAL.search(line)]


def names_process(text, name, pid):
    """Returns whether a text has a process' name and its PID, as words."""
    return bool(re.search(rf"(?<![\w.]){re.escape(name)}(?![\w])", text)) and bool(re.search(rf"(?<![\d.,:]){pid}(?![\d:,])", text))


def names_instance(text, instance):
    """Returns whether a text has an instance: as it is, or for a disk such as `1 D:` its letter."""
    letter = re.fullmatch(r"\d+ (\w:)", instance)
    return instance in text or bool(letter and re.search(rf"(?<!\w){letter[1]}", text))
