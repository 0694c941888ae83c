#!/usr/bin/env python3
"""Runs the steps of tools/packaging/action/action.yml as GitHub's runner does: action.py HKPD.

A folder with an archive of HKPD and its checksum stands for a release, by a file: URL. Wants python3-yaml. Inputs with
shell text in them, a wrong checksum and damaged data must lead to what action.yml promises."""

import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACTION = ROOT / "tools/packaging/action"
CAPTURES = ROOT / "testdata/captures"
DESCRIPTION = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
VERSION = re.search(r"project\(hkpd VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
ARCHIVE = f"hkpd-{VERSION}-linux-x86_64.tar.gz"


def evaluate(text, values):
    """Replaces each ${{ name }} by its value, as the runner does; an unknown name is an error here."""
    return re.sub(r"\$\{\{\s*(\S+)\s*\}\}", lambda found: values[found[1]], text)


class Runner:
    """A workspace on a runner, with a release."""

    def __init__(self, folder, command):
        self.folder = folder
        self.release = folder / "release"
        self.workspace = folder / "work space"
        self.workspace.mkdir()
        self.release.mkdir()
        with tarfile.open(self.release / ARCHIVE, "w:gz") as archive:
            archive.add(command, f"hkpd-{VERSION}-linux-x86_64/bin/hkpd")
        self.digest = hashlib.sha256((self.release / ARCHIVE).read_bytes()).hexdigest()
        self.write_sums(self.digest)
        for name in ["demo.bin", "damaged.bin"]:
            (self.workspace / name).write_bytes((CAPTURES / name).read_bytes())

    def write_sums(self, digest):
        (self.release / "SHA256SUMS").write_text(f"{'0' * 64}  other.tar.gz\n{digest}  {ARCHIVE}\n")

    def run(self, **inputs):
        """Runs all steps until one fails; returns exit code, output, and the outputs of the action."""
        inputs = {name.replace("_", "-"): value for name, value in inputs.items()}
        values = {"github.action_path": str(ACTION), "github.action_repository": "", "github.server_url": "https://github.com"}
        unknown = inputs.keys() - DESCRIPTION["inputs"].keys()
        assert not unknown, unknown
        defaults = {"release-url": self.release.as_uri()}
        for name, described in DESCRIPTION["inputs"].items():
            values[f"inputs.{name}"] = inputs.get(name, defaults.get(name, described.get("default")))
            assert values[f"inputs.{name}"] is not None, f"{name} has no value"
        output = ""
        for step in DESCRIPTION["runs"]["steps"]:
            outputs = self.folder / "outputs"
            outputs.write_text("")
            script = self.folder / "step.sh"
            script.write_text(step["run"])
            environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
                           "RUNNER_TEMP": str(self.folder), "GITHUB_OUTPUT": str(outputs)}
            environment |= {name: evaluate(value, values) for name, value in step["env"].items()}
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], env=environment,
                                  cwd=self.workspace, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
            output += done.stdout.decode("utf-8", "backslashreplace")
            for line in outputs.read_text().splitlines():
                name, value = line.split("=", 1)
                values[f"steps.{step['id']}.outputs.{name}"] = value
            if done.returncode != 0:
                break
        results = {name: evaluate(each["value"], values) for name, each in DESCRIPTION["outputs"].items()
                   if re.search(r"steps\.\S+", each["value"])[0] in values}
        return done.returncode, output, results


def sarif(runner, name="hkpd.sarif"):
    return json.loads((runner.workspace / name).read_text(encoding="utf-8"))["runs"][0]["results"]


def scripts_take_no_inputs(_):
    for step in DESCRIPTION["runs"]["steps"]:
        assert "${{" not in step["run"], step["run"]
    assert DESCRIPTION["runs"]["using"] == "composite"


def the_example_fits(_):
    text = (ACTION / "example.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(text)["jobs"]["check"]["steps"]
    [step] = [step for step in steps if step["uses"] == f"hkpd/hkpd/tools/packaging/action@v{VERSION}"]
    assert step["with"].keys() <= DESCRIPTION["inputs"].keys(), step
    [shown] = re.findall(r"```yaml tools/packaging/action/example.yml\n(.*?)```", (ROOT / "tools/INSTALL.md").read_text(encoding="utf-8"), re.S)
    assert shown in text, shown


def valid_data_passes(runner):
    code, output, outputs = runner.run(files="demo.bin")
    assert code == 0, output
    assert outputs == {"sarif": "hkpd.sarif", "errors": "0", "warnings": "0"}, outputs
    assert sarif(runner) == []
    assert f"hkpd {VERSION}" in output


def damaged_data_fails(runner):
    code, output, outputs = runner.run(files="demo.bin\ndamaged.bin\n", sarif="out of it.sarif")
    assert code == 1 and outputs["errors"] == "2" and outputs["sarif"] == "out of it.sarif", (code, output, outputs)
    found = sarif(runner, "out of it.sarif")
    assert [each["level"] for each in found] == ["error", "error"]
    # A path below the workspace, which code scanning can show.
    places = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in found}
    assert places == {"damaged.bin"}, places


def levels_decide(runner):
    assert runner.run(files="damaged.bin", fail_on="never")[0] == 0
    assert runner.run(files="damaged.bin", fail_on="error")[0] == 1
    code, output, _ = runner.run(files="damaged.bin", fail_on="sometimes")
    assert code == 1 and "expected warning, error or never" in output, output


def warnings_are_no_errors(runner):
    # A wrong number of objects can be a warning: nothing is lost.
    blob = bytearray((CAPTURES / "demo.bin").read_bytes())
    name = runner.workspace / "warning.bin"
    for value in range(1, 256):
        blob[28] = value  # NumObjectTypes
        name.write_bytes(blob)
        counts = runner.run(files="warning.bin", fail_on="never")[2]
        if counts["errors"] == "0" and counts["warnings"] != "0":
            break
    else:
        raise AssertionError("no blob has only a warning")
    assert runner.run(files="warning.bin", fail_on="error")[0] == 0
    assert runner.run(files="warning.bin")[0] == 1


def patterns_are_expanded(runner):
    (runner.workspace / "below/a folder").mkdir(parents=True)
    (runner.workspace / "below/a folder/damaged.bin").write_bytes((CAPTURES / "damaged.bin").read_bytes())
    code, output, outputs = runner.run(files="below/**/*.bin", fail_on="never")
    assert code == 0 and outputs["errors"] == "2", (output, outputs)
    code, output, _ = runner.run(files="below/*.none")
    assert code == 1 and "no pattern of one" in output, output
    code, output, _ = runner.run(files="missing.bin")
    assert code == 1 and "exit code 3" in output, output
    assert runner.run(files="\n \n")[0] == 1


def inputs_are_no_shell_text(runner):
    text = "$(touch was-run)`touch was-run`;touch was-run\"'\n;touch was-run"
    for name in ["files", "version", "fail_on", "sarif", "sha256", "release_url"]:
        code, output, _ = runner.run(**({"files": "demo.bin"} | {name: text}))
        assert code != 0, (name, output)
        assert not list(runner.folder.rglob("was-run")), (name, output)
    # A name of an option is a file here; output of the command is none of the runner's commands.
    (runner.workspace / "--live").write_bytes((CAPTURES / "damaged.bin").read_bytes())
    code, output, outputs = runner.run(files="--live")
    assert code == 1 and outputs["errors"] == "2", output
    token = re.search(r"^::stop-commands::(hkpd-[0-9a-f]{32})$", output, re.M)[1]
    assert f"\n::{token}::\n" in output


def wrong_checksums_stop(runner):
    code, output, outputs = runner.run(files="demo.bin", sha256=runner.digest.upper())
    assert code == 0 and outputs["errors"] == "0", output
    for expected, sums in [("1" * 64, runner.digest), ("", "2" * 64)]:
        runner.write_sums(sums)
        code, output, _ = runner.run(files="demo.bin", sha256=expected)
        assert code == 1 and "checksum" in output and f"hkpd {VERSION}" not in output, output
    (runner.release / "SHA256SUMS").write_text("")
    code, output, _ = runner.run(files="demo.bin")
    assert code == 1 and "a line in SHA256SUMS" in output, output
    runner.write_sums(runner.digest)
    # Another byte in the archive.
    archive = runner.release / ARCHIVE
    archive.write_bytes(archive.read_bytes() + b"x")
    assert runner.run(files="demo.bin")[0] == 1


def other_releases_are_missing(runner):
    code, output, _ = runner.run(files="demo.bin", version="v99.0")
    assert code == 1 and "hkpd-99.0-linux-x86_64.tar.gz cannot be fetched" in output, output
    code, output, _ = runner.run(files="demo.bin", release_url="")
    assert code == 1 and "set the input release-url" in output, output


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: action.py HKPD")
    for test in [scripts_take_no_inputs, the_example_fits, valid_data_passes, damaged_data_fails, levels_decide, warnings_are_no_errors,
                 patterns_are_expanded, inputs_are_no_shell_text, wrong_checksums_stop, other_releases_are_missing]:
        with tempfile.TemporaryDirectory() as folder:
            test(Runner(pathlib.Path(folder), sys.argv[1]))
        print(f"ok      {test.__name__.replace('_', ' ')}")


main()
