#!/usr/bin/env python3
"""loops_by_hand.py HKPD: scripts of rules with loops, texts, lists and alerts, on a real log. The rules are written here in
the form of PAL's; what each of them finds is worked out here by plain arithmetic from the values that `hkpd replay` prints,
sample by sample, as PowerShell would compute it: no script is read here. Then four thresholds of PAL's own file with other
answers. Exits with 77 if HKPD_SHARED_DIR (or ../shared) has no logs, with 1 for each difference."""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.sax.saxutils

import replayed

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
import missing

SHARED = pathlib.Path(os.environ.get("HKPD_SHARED_DIR") or ROOT.parent / "shared") / "data"
VISTA = SHARED / "blg" / "vista-2007-wildcards.blg"
QUICK = SHARED / "pal" / "QuickSystemOverview.xml"
MB = 1024 * 1024

QUESTIONS = {"OS": "Windows XP 32-bit", "Disks": "D:;c:", "Part": "C", "Physical": "2", "Edge": "False", "Nothing": ""}
READ, WRITE = r"\LogicalDisk(*)\Avg. Disk sec/Read", r"\LogicalDisk(*)\Avg. Disk sec/Write"
READS, WRITES = r"\LogicalDisk(*)\Disk Reads/sec", r"\LogicalDisk(*)\Disk Writes/sec"
PRIVATE, TIME = r"\Process(*)\Private Bytes", r"\Process(*)\% Processor Time"
PRIVILEGED, QUEUE = r"\Process(*)\% Privileged Time", r"\System\Processor Queue Length"
FREE = r"\Memory\Available MBytes"


def loop(body, before="", skip=""):
    """A loop over the instances of $A and over the samples, as in PAL's files."""
    return (f"{before}\nFor ($i=0;$i -lt $A.Count;$i++)\n{{\n$one = $A[$i]\n{skip}\n"
            f"For ($t=0;$t -lt $alQuantizedTime.Count;$t++)\n{{\n{body}\n}}\n}}")


def alert(condition, instance="$one"):
    return (f"If ({condition})\n{{\nCreateAlert -TimeSliceIndex $t -CounterInstanceObject {instance} -IsMinThresholdBroken $False "
            "-IsAvgThresholdBroken $True -IsMaxThresholdBroken $False -IsTrendThresholdBroken $False -IsMinEvaluated $False "
            "-IsAvgEvaluated $True -IsMaxEvaluated $False -IsTrendEvaluated $False\n}")


def limit(code, how="gt"):
    return f"{code}\nStaticThreshold -CollectionOfCounterInstances $A -Operator '{how}' -Threshold $X"


@dataclasses.dataclass
class Case:
    """`code`: of the threshold, or of a computed data source. `beyond`: the number with which the values of an instance in
    a sample are compared, or None if they are not beyond it; NAN if there is no single number. Its arguments are the values
    of $A, $B, and of all instances of $A and $B. `fires`: how many values of each instance are beyond."""

    code: str
    paths: dict
    beyond: object
    fires: object
    computed: object = None  # the value of a computed series, of the same arguments


NAN = "none"
AVERAGE_OR_PEAK = ("$low = $False; $high = $False\nIf ($one.QuantizedAvg[$t] -ge 0.02) {$low = $True}\n"
                   "If ($one.QuantizedMax[$t] -ge 0.04) { $high = $True }\n" + alert("($low -eq $True) -or ($high -eq $True)"))
IOPS = r"""$R = @{}
For ($i=0;$i -lt $A.Count;$i++)
{
  $values = New-Object System.Collections.ArrayList
  For ($v=0;$v -lt $A[$i].Value.Count;$v++)
  {
    $factor = 1
    $parts = $Part.Split(',')
    For ($k=0;$k -lt $parts.Count;$k++) { If ($A[$i].CounterInstance.Contains($parts[$k])) { $factor = 4 } }
    [System.Int64] $result = [math]::Round($([double]$A[$i].Value[$v] + ([double]$B[$i].Value[$v] * [System.Int32]$factor)),0)
    [void] $values.Add($result)
  }
  $name = "\\$($A[$i].CounterComputer)\LogicalDisk($($A[$i].CounterInstance))\Sum"
  $R.Add($name,$values)
}"""
STATES = r"""$R = @{}
$state = @{}
ForEach ($disk in $B) { [void] $state.Add($disk.CounterInstance, 0) }
For ($i=0;$i -lt $A.Count;$i++)
{
  $values = New-Object System.Collections.ArrayList
  For ($v=0;$v -lt $A[$i].Value.Count;$v++)
  {
    $keys = @($state.Keys)
    ForEach ($key in $keys)
    {
      [Int]$match = -1
      For ($k=0;$k -lt $B.Count;$k++) { If ($key -eq $B[$k].CounterInstance) { $match = $k } }
      If ($match -ge 0)
      {
        If ($B[$match].Value[$v] -gt 0.02) { $state[$key] = 2 } Else { $state[$key] = 1 }
      }
    }
    $total = 0
    ForEach ($key in $state.Keys) { $total += $state[$key] }
    [void] $values.Add($total)
  }
  $name = "\\$($A[$i].CounterComputer)\Memory\Sum"
  $R.Add($name,$values)
}"""

CASES = {
    "average or peak": Case(loop(AVERAGE_OR_PEAK), {"A": READ},
                            lambda a, b, _, __: None if a < 0.02 else 0.04 if a >= 0.04 else 0.02, {"C:": 3}),
    "one condition": Case(loop(alert("$one.QuantizedAvg[$t] -gt 30MB")), {"A": PRIVATE},
                          lambda a, b, _, __: 30 * MB if a > 30 * MB else None, 5),
    "below": Case(loop(alert("$one.QuantizedMin[$t] -lt 80")), {"A": FREE},
                  lambda a, b, _, __: 80 if a < 80 else None, None),
    "sum of two counters": Case(loop(alert("($one.QuantizedAvg[$t] + $B[$i].QuantizedAvg[$t]) -ge 50")), {"A": READS, "B": WRITES},
                                lambda a, b, _, __: NAN if a + b >= 50 else None, {"C:": 4}),
    "compared with another counter": Case(loop(alert("$one.Value[$t] -gt ($B[$i].Value[$t] * 0.75)")), {"A": PRIVILEGED, "B": TIME},
                                          lambda a, b, _, __: b * 0.75 if a > b * 0.75 else None, None),
    "one instance of another counter": Case(
        loop("$all = $B[0].QuantizedAvg[$t]\nIf ($all -gt 0)\n{\n" + alert("$one.QuantizedAvg[$t] -gt ($all * 5)") + "\n}"),
        {"A": TIME, "B": QUEUE}, lambda a, _, __, b: b[0] * 5 if b[0] > 0 and a > b[0] * 5 else None, None),
    "instances in a list": Case(loop(alert("$one.QuantizedAvg[$t] -ge 0.01"), "$list = $Disks.Split(';')",
                                     "If ($list -notcontains $one.CounterInstance) { continue }"), {"A": READ},
                                lambda a, b, _, __: 0.01 if a >= 0.01 else None, {"C:": 7}),
    "instances that match": Case(
        loop(alert("$one.QuantizedAvg[$t] -ge 0.01"), "$list = $Disks.Split(';')",
             "$found = $False\nForEach ($disk in $list)\n{\nIf (($one.CounterInstance -match $disk) -eq $True) { $found = $True; break }\n}\n"
             "If ($found -eq $False) { continue }"), {"A": READ}, lambda a, b, _, __: 0.01 if a >= 0.01 else None, {"C:": 7}),
    "no instances": Case("If ($Nothing.Length -gt 0)\n{" + loop(alert("$one.Value[$t] -ge 0")) + "}", {"A": READ},
                         lambda a, b, _, __: None, {}),
    "not an instance": Case(loop(alert("$one.Value[$t] -ge 0.01"), "", "If ('D:' -eq $one.CounterInstance) { continue }"), {"A": WRITE},
                            lambda a, b, _, __: 0.01 if a >= 0.01 else None, {"C:": 3}),
    "part of a text": Case(limit("$bits = $OS.substring($OS.Length - 6, 2)\nIf ($bits -eq '32') { $X = 40MB } Else { $X = 8TB }"),
                           {"A": PRIVATE}, lambda a, b, _, __: 40 * MB if a > 40 * MB else None, None),
    "switch": Case(limit("$OS = [string] $OS.ToUpper()\nswitch ($OS)\n{\n'WINDOWS XP 64-BIT' {$X = 1}\n'WINDOWS XP 32-BIT'\n{\n"
                         "switch ($([int]$Physical)) { 1 {$X = 5MB} 2 {$X = 35MB} default {$X = 9MB} }\n}\ndefault {$X = 2}\n}"),
                   {"A": PRIVATE}, lambda a, b, _, __: 35 * MB if a > 35 * MB else None, None),
    "loop to a limit": Case(limit("$X = 0\nFor ($k=1;$k -le 4;$k++) { $X = $X + $k * 5 }"), {"A": TIME},
                            lambda a, b, _, __: 50 if a > 50 else None, None),
    "while": Case(limit("$X = 1\nwhile ($X -lt 0.01 * 4096) { $X *= 2 }"), {"A": TIME},
                  lambda a, b, _, __: 64 if a > 64 else None, None),
    "list": Case(limit("$parts = @(1, 2, 3)\n$sum = 0\nForEach ($part in $parts) { $sum += $part }\n$X = \"$($sum / 2).5\""), {"A": QUEUE},
                 lambda a, b, _, __: 3.5 if a > 3.5 else None, None),
    "equal": Case(limit("$X = 1", "eq"), {"A": QUEUE}, lambda a, b, _, __: 1 if a == 1 else None, None),
    "two ways": Case("If ($Edge -eq $True)\n{\n" + limit("$X = 10", "ge") + "\n}\nElse {\n" + limit("$X = 100", "lt") + "\n}", {"A": FREE},
                     lambda a, b, _, __: 100 if a < 100 else None, None),
    "two limits": Case(limit("$X = 30MB") + "\n" + limit("$X = 20MB"), {"A": PRIVATE},
                       lambda a, b, _, __: 20 * MB if a > 20 * MB else None, None),
    "computed by name": Case(IOPS, {"A": READS, "B": WRITES}, lambda a, b, _, __: 30 if round(a + 4 * b) > 30 else None, {"C:": 8},
                             lambda a, b, _, __: round(a + 4 * b)),
    "computed by a map": Case(STATES, {"A": FREE, "B": READ},
                              lambda a, _, __, b: 2 if sum(2 if x > 0.02 else 1 for x in b) > 2 else None, {"": 3},
                              lambda a, _, __, b: sum(2 if x > 0.02 else 1 for x in b)),
}

# Of PAL's file: rule, begin of the threshold's name, counter, answers, and the limit by the answers in bytes.
PAL = [
    ("Memory Pool Non-Paged Bytes", "More than 60%", "Pool Nonpaged Bytes", {}, 16384 * MB * 0.75 * 0.60),
    ("Memory Pool Non-Paged Bytes", "More than 80%", "Pool Nonpaged Bytes", {"OS": "Windows XP 32-bit", "UserVa": "3072"}, 128 * MB * 0.80),
    ("Memory Pool Paged Bytes", "More than 60%", "Pool Paged Bytes", {}, 128 * 1024 * MB * 0.60),
    ("Memory Pool Paged Bytes", "More than 60%", "Pool Paged Bytes", {"OS": "Windows XP 32-bit", "PhysicalMemory": "1"}, 168 * MB * 0.60),
]


def xml_of():
    def quoted(text):
        return xml.sax.saxutils.quoteattr(text)

    parts = ["<PAL NAME='By hand'>"]
    for name, value in QUESTIONS.items():
        kind = "boolean" if value in ("True", "False") else "string"
        parts.append(f"<QUESTION QUESTIONVARNAME='{name}' DATATYPE='{kind}' DEFAULTVALUE={quoted(value)}/>")
    for number, (name, case) in enumerate(CASES.items()):
        parts.append(f"<ANALYSIS NAME={quoted(name)} ENABLED='True' PRIMARYDATASOURCE='p' ID='{number}'>")
        for variable, path in case.paths.items():
            excluded = "<EXCLUDE INSTANCE='_Total'/><EXCLUDE INSTANCE='Idle'/>"
            parts.append(f"<DATASOURCE TYPE='CounterLog' NAME='p' COLLECTIONVARNAME='{variable}' EXPRESSIONPATH={quoted(path)}>"
                         f"{excluded}</DATASOURCE>")
        code = case.code
        if case.computed:
            path = case.paths["A"].rpartition("\\")[0] + "\\Sum"
            parts.append(f"<DATASOURCE TYPE='Generated' NAME='g' COLLECTIONVARNAME='R' EXPRESSIONPATH={quoted(path)}>"
                         f"<CODE><![CDATA[{code}]]></CODE></DATASOURCE>")
            code = f"StaticThreshold -CollectionOfCounterInstances $R -Operator 'gt' -Threshold {30 if 'Disk' in path else 2}"
        parts.append(f"<THRESHOLD NAME='t' CONDITION='Warning'><CODE><![CDATA[{code}]]></CODE></THRESHOLD></ANALYSIS>")
    return "\n".join(parts) + "</PAL>"


class Check:
    def __init__(self, hkpd):
        self.hkpd, self.compared, self.differ = hkpd, 0, 0
        self.run = replayed.Run(hkpd, [VISTA])
        self.identities = {}

    def equal(self, what, found, expected):
        self.compared += 1
        near = isinstance(found, (int, float)) and isinstance(expected, (int, float)) and abs(found - expected) <= abs(expected) * 1e-12
        if found != expected and not near:
            self.differ += 1
            print(f"{what}: {found!r}, expected {expected!r}")

    def check(self, file, *answers):
        command = [self.hkpd, "check", "--rules", str(file), *answers, "--format", "json", str(VISTA)]
        found = subprocess.run(command, capture_output=True, check=False)
        if found.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)} ends with {found.returncode}: {found.stderr.decode()}")
        (rules,) = json.loads(found.stdout)["rules"]
        return rules

    def series(self, path):
        """Returns the series of a path without totals."""
        head, _, counter = path.rpartition("\\")
        name = head[1:].removesuffix("(*)")
        return [s for s in self.run.series.values()
                if (s.object, s.counter) == (name, counter) and s.instance not in ("_Total", "Idle")]

    def case(self, name, case, rules):
        a, b = (self.series(case.paths[v]) if v in case.paths else [] for v in "AB")
        partner = {s.instance: s for s in b}
        expected = {}
        for series in a:
            for time, value in series.present():
                other = partner.get(series.instance)
                second = other.values.get(time) if other else None
                if "[$i]" in case.code and "$B[$i]" in case.code and second is None:
                    continue
                rest = [s.values[time] for s in b if s.values.get(time) is not None]
                arguments = (value, second, None, rest)
                if "$B[0]" in case.code and not rest:
                    continue
                number = case.beyond(*arguments)
                if number is not None:
                    shown = case.computed(*arguments) if case.computed else value
                    expected.setdefault(series.instance, []).append((shown, number))
        found = {f["instance"] or "": f for f in rules["findings"] if f["rule"] == name}
        self.equal(f"{name}: evaluated", [e["why"] for e in rules["not_evaluated"] if e["rule"] == name], [])
        self.equal(f"{name}: instances", sorted(found), sorted(expected))
        if isinstance(case.fires, dict):
            self.equal(f"{name}: worked out", {i: len(v) for i, v in expected.items()}, case.fires)
        elif isinstance(case.fires, int):
            self.equal(f"{name}: worked out", len(expected), case.fires)
        for instance in found.keys() & expected.keys():
            beyond = expected[instance]
            self.equal(f"{name}: {instance}: values beyond", found[instance]["exceeding"], len(beyond))
            upper = beyond[0][1] == NAN or beyond[0][0] >= beyond[0][1]
            numbers, values = [n for _, n in beyond if n != NAN], [v for v, _ in beyond]
            self.equal(f"{name}: {instance}: limit", found[instance]["limit"], (min if upper else max)(numbers) if numbers else None)
            self.equal(f"{name}: {instance}: worst", found[instance]["worst"], (max if upper else min)(values))
        return bool(expected)

    def refused(self, folder):
        """A script that is refused is in the summary by its reason, and in the list with the line."""
        file = pathlib.Path(folder) / "refused.xml"
        file.write_text(xml_of().replace("$X = 0\nFor ($k", "$X = 0\n$X = Get-Date\nFor ($k"), encoding="utf-8")
        (summary,) = [line for line in self.text(file).splitlines() if line.startswith("rules: ")]
        self.equal("summary", summary.rpartition("; ")[2], "1 not: uses the script command Get-Date")
        listed = "not evaluated: loop to a limit: t: uses the script command Get-Date (line 2)"
        self.equal("list", [line.strip() for line in self.text(file, "--verbose").splitlines() if "Get-Date" in line][1:], [listed])

    def text(self, file, *options):
        return subprocess.run([self.hkpd, "check", "--rules", str(file), *options, str(VISTA)], capture_output=True, check=False).stdout.decode()

    def pal(self, rule, threshold, counter, answers, limit):
        options = [part for name, value in answers.items() for part in ("--answer", f"{name}={value}")]
        rules = self.check(QUICK, *options)
        found = [f for f in rules["findings"] if f["rule"] == rule and f["threshold"].startswith(threshold)]
        (series,) = self.series("\\Memory\\" + counter)
        over = [value for _, value in series.present() if value > limit]
        what = f"{rule}, {threshold}, {answers}"
        self.equal(f"{what}: not evaluated", [e for e in rules["not_evaluated"] if e["rule"] == rule], [])
        self.equal(f"{what}: findings", len(found), bool(over))
        for one in found:
            self.equal(f"{what}: limit", one["limit"], limit)
            self.equal(f"{what}: values beyond", one["exceeding"], len(over))
            self.equal(f"{what}: worst", one["worst"], max(over))
        return bool(over)


def main():
    if not QUICK.exists() or not VISTA.exists():
        return missing.shared()
    check = Check(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "by_hand.xml"
        file.write_text(xml_of(), encoding="utf-8")
        rules = check.check(file)
        check.refused(folder)
    fire = sum(check.case(name, case, rules) for name, case in CASES.items())
    fire += sum(check.pal(*one) for one in PAL)
    print(f"{len(CASES) + len(PAL)} thresholds, {fire} of them exceeded; {check.compared} comparisons, {check.differ} differ")
    return 1 if check.differ or fire < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
