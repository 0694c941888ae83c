#!/usr/bin/env python3
"""windows_rules.py: checks hkpd's own rules, lib/src/rules/windows.xml: that each has an ID of its own, a description of at
most 900 characters with a source, thresholds on data sources that it has, no unused data source, and only elements and
attributes that lib/src/rules/README.md lists. Prints each fault; exits with 1 if there is any."""

import pathlib
import re
import sys
import uuid
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "lib" / "src" / "rules"
sys.path.insert(0, str(ROOT / "tests" / "docs"))
import words  # noqa: E402  (the retired words)

MOST_CHARACTERS = 900
SOURCE = re.compile(r"<p>Source: (?P<title>[^<>]{8,}), (?P<address>https://[a-z0-9.-]+/[^\s<>]*)</p>")
# Where documents stand whose address a rule may state.
HOSTS = {"learn.microsoft.com", "techcommunity.microsoft.com", "www.rfc-editor.org"}
CALL = re.compile(r"StaticThreshold -CollectionOfCounterInstances \$(?P<name>\w+) -Operator '(?P<operator>gt|ge|lt|le)' -Threshold "
                  r"(?P<limit>\$\w+|[\d.]+(?:KB|MB|GB)?)(?P<trend> -IsTrendOnly \$True)?")
ELEMENTS = {"p", "b", "code"}  # of descriptions; README lists more, for other files


class Faults(list):
    def require(self, condition, where, what):
        if not condition:
            self.append(f"{where}: {what}")


def attributes_of_readme():
    """Returns all words in `backticks` of the README."""
    text = (RULES / "README.md").read_text(encoding="utf-8")
    return {word for code in re.findall(r"`([^`]+)`", text) for word in re.findall(r"[A-Z]{2,}", code)}


def check_names(root, faults):
    known = attributes_of_readme()
    for element in root.iter():
        faults.require(element.tag in known, element.tag, "README.md does not list the element")
        for attribute in element.attrib:
            faults.require(attribute in known, f"{element.tag} {attribute}", "README.md does not list the attribute")


def check_description(analysis, name, faults):
    text = analysis.findtext("DESCRIPTION") or ""
    faults.require(len(text) <= MOST_CHARACTERS, name, f"description of {len(text)} characters, expected at most {MOST_CHARACTERS}")
    faults.require(len(text) >= 300, name, f"description of {len(text)} characters, expected at least 300")
    sources = list(SOURCE.finditer(text))
    faults.require(sources, name, "no line 'Source: TITLE, https://…'")
    faults.require(text.count("Source:") == len(sources), name, "a line 'Source:' in another form")
    for source in sources:
        host = source["address"].split("/")[2]
        faults.require(host in HOSTS, name, f"a source on {host}, expected one of {', '.join(sorted(HOSTS))}")
    faults.require("Next: " in text, name, "no 'Next: ', what to look at")
    for tag in re.findall(r"</?(\w+)", text):
        faults.require(tag in ELEMENTS, name, f"element <{tag}> in the description")
    paragraphs = re.sub(r"<p>[^<]*(?:<(?:b|code)>[^<]*</(?:b|code)>[^<]*)*</p>", "", text)
    faults.require(not paragraphs.strip(), name, f"text outside of paragraphs: {paragraphs.strip()[:40]!r}")


def check_sources(analysis, name, faults):
    """Returns the names of the collections."""
    names = set()
    paths = set()
    for source in analysis.iter("DATASOURCE"):
        collection = source.get("COLLECTIONVARNAME", "")
        faults.require(re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", collection), name, f"collection {collection!r}")
        faults.require(collection not in names, name, f"two data sources of the name {collection}")
        faults.require(source.get("NAME") == source.get("EXPRESSIONPATH"), name, f"{collection}: NAME and EXPRESSIONPATH differ")
        faults.require(re.fullmatch(r"\\[^\\()]+(\([^\\()]+\))?\\[^\\]+", source.get("EXPRESSIONPATH", "")), name, "not a counter path")
        faults.require(source.get("TYPE") in ("CounterLog", "Generated"), name, f"TYPE {source.get('TYPE')}")
        faults.require((source.get("TYPE") == "Generated") == ("EXPRESSION" in source.attrib), name, f"{collection}: EXPRESSION and TYPE")
        for used in re.findall(r"\[([^\]]*)\]", source.get("EXPRESSION", "")):
            faults.require(used in names, name, f"{collection}: no data source {used} in front")
        names.add(collection)
        paths.add(source.get("EXPRESSIONPATH"))
    faults.require(analysis.get("PRIMARYDATASOURCE") in paths, name, "no data source has the path PRIMARYDATASOURCE")
    return names


def check_thresholds(analysis, name, names, questions, faults):
    used = {word for source in analysis.iter("DATASOURCE") for word in re.findall(r"\[([^\]]*)\]", source.get("EXPRESSION", ""))}
    thresholds = analysis.findall("THRESHOLD")
    faults.require(thresholds, name, "no threshold")
    for threshold in thresholds:
        where = f"{name}: {threshold.get('NAME')}"
        faults.require(len(threshold.get("NAME", "")) >= 15, where, "a NAME that does not state what is wrong")
        faults.require(threshold.get("CONDITION") in ("Warning", "Critical"), where, f"CONDITION {threshold.get('CONDITION')}")
        faults.require(threshold.get("LEASTSECONDS", "1").isdigit(), where, f"LEASTSECONDS {threshold.get('LEASTSECONDS')}")
        code = threshold.findtext("CODE") or ""
        calls = list(CALL.finditer(code))
        faults.require(calls and code.count("StaticThreshold") == len(calls), where, "no call of StaticThreshold, or one in another form")
        faults.require(all(call["name"] in names for call in calls), where, "a call for a data source that is missing")
        faults.require(len({(call["name"], call["operator"], call["trend"]) for call in calls}) == 1, where, "compares in more than one way")
        faults.require("trend" not in code.casefold() or int(threshold.get("LEASTSECONDS", 0)) >= 3600, where, "a trend of less than an hour")
        known = names | questions | {"True"} | set(re.findall(r"^\s*\$(\w+) =", code, re.M))
        for variable in re.findall(r"\$(\w+)", code):
            faults.require(variable in known, where, f"unknown variable ${variable}")
            used.add(variable)
    for unused in names - used:
        faults.require(False, name, f"data source {unused} is not used")


def check_words(text, faults):
    for number, message in words.find_retired(text.splitlines(), words.retired_words()):
        faults.append(f"line {number}: {message}")


def main():
    text = (RULES / "windows.xml").read_text(encoding="utf-8")
    root = xml.etree.ElementTree.fromstring(text.encode())
    faults = Faults()
    questions = {question.get("QUESTIONVARNAME") for question in root.iter("QUESTION")}
    analyses = root.findall("ANALYSIS")
    faults.require(20 <= len(analyses) <= 35, "windows.xml", f"{len(analyses)} analyses, expected about 25")
    seen = set()
    for analysis in analyses:
        name = analysis.get("NAME", "")
        for key in (analysis.get("ID", ""), name):
            faults.require(key not in seen, name, f"{key!r} twice")
            seen.add(key)
        faults.require(re.fullmatch(r"\{[0-9a-f-]{36}\}", analysis.get("ID", "")) and uuid.UUID(analysis.get("ID")).version == 4, name,
                       f"ID {analysis.get('ID')!r}, expected a random GUID in braces")
        faults.require(analysis.get("ENABLED") == "True" and analysis.get("CATEGORY"), name, "ENABLED and CATEGORY")
        check_description(analysis, name, faults)
        check_thresholds(analysis, name, check_sources(analysis, name, faults), questions, faults)
    check_words(text, faults)
    check_names(root, faults)
    for fault in faults:
        print(fault)
    thresholds = len(list(root.iter("THRESHOLD")))
    print(f"{len(analyses)} rules, {thresholds} thresholds, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
