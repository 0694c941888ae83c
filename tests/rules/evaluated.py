#!/usr/bin/env python3
"""evaluated.py HKPD [FOLDER [LOG...]]: how many thresholds of the rule files in a folder are evaluated, of those whose
counters are in a log, and how many scripts are accepted at all. FOLDER: PAL's files in HKPD_SHARED_DIR (or ../shared) unless
given, with the logs there; a folder with all 72 files of PAL is at github.com/clinthuffman/PAL, PAL2/PALWizard/bin/Debug.
Exits with 1 if less than 99 % are evaluated or accepted, with 77 if there are no files."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import evaluate
import replayed

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
import missing

SHARED = pathlib.Path(os.environ.get("HKPD_SHARED_DIR") or ROOT.parent / "shared") / "data"
LEAST = 0.99
# The reasons of thresholds that are not evaluated although they can be: those of the log.
ABSENT = "no such counter in the input"
OF_LOG = ("no value", "too few values", "the analysis is disabled")


def sources_of(file, name):
    """Returns the counters of all analyses with a name in a file and those that it inherits."""
    root, found = xml.etree.ElementTree.parse(file).getroot(), []
    for inherited in root.iter("INHERITANCE"):
        other = file.parent / inherited.get("FILEPATH", "")
        found += sources_of(other, name) if other.is_file() else []
    for analysis in root.iter("ANALYSIS"):
        if analysis.get("NAME") == name:
            found += [evaluate.Source(s.get("EXPRESSIONPATH"), [e.get("INSTANCE") for e in s.iter("EXCLUDE")])
                      for s in analysis.iter("DATASOURCE") if s.get("TYPE", "").casefold() != "generated"]
    return [source for source in found if source.parts(source.path)]


def has_counters(file, name, run):
    return any(source.takes(series) for source in sources_of(file, name) for series in run.series.values())


def main():
    hkpd, folder = sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else SHARED / "pal"
    logs = sys.argv[3:] or [SHARED / "blg" / "vista-2007-wildcards.blg", SHARED / "blg" / "win10-14393-counters.blg"]
    files = [f for f in sorted(folder.glob("*.xml")) if "<PAL" in f.read_text(encoding="utf-8", errors="replace")[:4096]]
    if not files or not all(pathlib.Path(log).exists() for log in logs):
        return missing.shared()
    fails = False
    for log in logs:
        run = replayed.Run(hkpd, [log])
        thresholds, evaluated, refused, present, reasons = 0, 0, 0, 0, collections.Counter()
        for file in files:
            command = [hkpd, "check", "--rules", str(file), "--allow-none", "--format", "json", str(log)]
            found = subprocess.run(command, capture_output=True, check=False)
            if found.returncode not in (0, 1):
                sys.exit(f"{' '.join(command)} ends with {found.returncode}: {found.stderr.decode()}")
            for rules in json.loads(found.stdout)["rules"]:
                thresholds += rules["summary"]["thresholds"]
                evaluated += rules["summary"]["evaluated"]
                for one in rules["not_evaluated"]:
                    if one["why"] == ABSENT or one["why"].startswith(OF_LOG):
                        continue
                    refused += 1
                    reasons[one["why"].split(" (line")[0]] += 1
                    present += has_counters(file, one["rule"], run)
        share, accepted = evaluated / max(evaluated + present, 1), 1 - refused / max(thresholds, 1)
        print(f"{pathlib.Path(log).name}: {len(files)} files, {thresholds} thresholds; of those with counters in the log "
              f"{evaluated} of {evaluated + present} evaluated ({share:.2%}); scripts accepted: {accepted:.2%}")
        for reason, count in reasons.most_common():
            print(f"    {count} {reason}")
        fails = fails or share < LEAST or accepted < LEAST
    return 1 if fails else 0


if __name__ == "__main__":
    sys.exit(main())
