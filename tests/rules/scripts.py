"""Reads the CODE of thresholds: assignments, conditions and calls of StaticThreshold, by lib/src/rules/README.md and
independently of the library."""

import dataclasses
import fractions
import operator
import re

SIZES = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
TOKEN = re.compile(
    r"\s+|#[^\n]*|(?P<number>\d+(?:\.\d+)?)(?P<size>[KMGT]B)?\b|\$(?P<variable>\w+)(?P<count>\.Count\b)?|'(?P<text>[^']*)'"
    r"|-(?P<option>[A-Za-z]\w*)|\[(?P<bracket>[^\]]*)\]|(?P<word>[A-Za-z]\w*)|(?P<sign>\$\(|[-+*/(){}=])", re.I)
COMPARE = {"gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
           "eq": lambda a, b: a == b, "ne": lambda a, b: a != b}


class Outside(Exception):
    """The code has something that is not evaluated."""


@dataclasses.dataclass
class Call:
    collection: str
    operator: str
    limit: float
    trend: bool


def rounded_once(operation, one, other):
    """Returns the double nearest to the exact result. Python for 32-bit x86 rounds twice: to 64 bits of mantissa first."""
    return float(operation(fractions.Fraction(one), fractions.Fraction(other)))


def tokens(code):
    position, found = 0, []
    while position < len(code):
        match = TOKEN.match(code, position)
        if not match:
            raise Outside(f"{code[position]!r}")
        position = match.end()
        if match["number"]:
            found.append(("number", float(match["number"]) * SIZES[(match["size"] or "").upper()]))
        elif match["variable"]:
            found.append(("count" if match["count"] else "variable", match["variable"].casefold()))
        elif match["text"] is not None:
            found.append(("text", match["text"]))
        elif match["option"]:
            found.append(("option", match["option"].casefold()))
        elif match["bracket"] is not None:
            found.append(("bracket", match["bracket"].casefold()))
        elif match["word"]:
            found.append(("word", match["word"].casefold()))
        elif match["sign"]:
            found.append(("sign", match["sign"]))
    return found + [("end", None)]


class Script:
    """`variables` and `counts`: values by names in lower case. `collections`: what [name] is, in EXPRESSION alone."""

    def __init__(self, code, variables=None, counts=None, collections=None):
        self.tokens, self.position = tokens(code), 0
        self.variables, self.counts, self.collections = dict(variables or {}), counts or {}, collections
        self.calls = []

    @property
    def next(self):
        return self.tokens[self.position]

    def take(self, *expected):
        token = self.next
        if token[: len(expected)] != expected:
            raise Outside(f"{token[1]!r}")
        self.position += 1
        return token[1]

    def statements(self, runs=True, end=("end", None)):
        while self.next != end:
            if self.next == ("word", "staticthreshold"):
                self.call(runs)
            elif self.next == ("word", "if"):
                self.condition(runs)
            else:
                self.assignment(runs)
        return self.calls

    def assignment(self, runs):
        rounds = self.next == ("bracket", "int") and bool(self.take("bracket"))
        name = self.take("variable")
        self.take("sign", "=")
        value = self.expression()
        if runs:
            self.variables[name] = round(value) if rounds else value

    def condition(self, runs):
        self.take("word", "if")
        done = False
        while True:
            self.take("sign", "(")
            left = self.expression()
            operator = self.take("option")
            if operator not in COMPARE:
                raise Outside(f"-{operator}")
            holds = COMPARE[operator](left, self.expression())
            self.take("sign", ")")
            self.block(runs and holds and not done)
            done = done or holds
            if self.next == ("word", "elseif"):
                self.take("word")
                continue
            if self.next == ("word", "else"):
                self.take("word")
                self.block(runs and not done)
            return

    def block(self, runs):
        self.take("sign", "{")
        self.statements(runs, ("sign", "}"))
        self.take("sign", "}")

    def call(self, runs):
        self.take("word")
        given = {}
        while self.next[0] == "option":
            option = self.take("option")
            if option == "collectionofcounterinstances":
                given[option] = self.take("variable")
            elif option == "operator":
                given[option] = self.take("text").casefold()
            elif option == "threshold":
                given[option] = self.operand()
            elif option == "istrendonly":
                given[option] = self.take("variable") == "true"
            else:
                raise Outside(f"-{option}")
        if runs:
            self.calls.append(Call(given["collectionofcounterinstances"], given["operator"], given["threshold"],
                                   given.get("istrendonly", False)))

    def expression(self):
        value = self.product()
        while self.next in (("sign", "+"), ("sign", "-")):
            sign = self.take("sign")
            value = rounded_once(operator.add if sign == "+" else operator.sub, value, self.product())
        return value

    def product(self):
        value = self.operand()
        while self.next in (("sign", "*"), ("sign", "/")):
            sign = self.take("sign")
            value = rounded_once(operator.mul if sign == "*" else operator.truediv, value, self.operand())
        return value

    def operand(self):
        kind, content = self.next
        self.position += 1
        if kind == "number":
            return content
        if kind == "bracket" and self.collections is not None:
            return self.collections[content]
        if kind == "bracket" and content in ("int", "double"):
            return round(float(self.operand())) if content == "int" else float(self.operand())
        if kind == "count" and content in self.counts:
            return self.counts[content]
        if kind == "variable" and content in self.variables:
            try:
                return float(self.variables[content])
            except ValueError as error:
                raise Outside(f"${content} is no number") from error
        if (kind, content) == ("sign", "-"):
            return -self.operand()
        if (kind, content) in (("sign", "("), ("sign", "$(")):
            value = self.expression()
            self.take("sign", ")")
            return value
        raise Outside(f"{content!r}")
