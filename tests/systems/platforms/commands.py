"""The commands whose output has to be the same on every platform: lists of arguments for hkpd, for the files of testdata
and of the real data next to the tree."""
import os
import pathlib

SHOWN = [("dump", "jsonl"), ("dump", "csv"), ("dump", "json"), ("dump", "text"), ("replay", "jsonl"), ("replay", "csv"),
         ("replay", "json"), ("replay", "text"), ("replay", "timeline"), ("replay", "pdh-csv"), ("replay", "openmetrics"),
         ("check", "text"), ("check", "json"), ("check", "sarif"), ("map", "text"), ("map", "json"), ("info", "text"),
         ("info", "json"), ("top", "json"), ("top", "text")]
FURTHER = [["replay", "--summary", "--format", "csv"], ["replay", "--bucket", "2s", "--format", "csv"], ["info", "--all"],
           ["info", "--counters"], ["dump", "--types"]]
# The inputs of fuzz targets that are files as hkpd reads them. Those of other targets begin with options of the target.
CORPORA = {
    "blg": [["replay", "--format", "jsonl"], ["dump", "--format", "json"], ["check"], ["info"]],
    "capture": [["replay", "--format", "jsonl"], ["check"], ["info", "--format", "json"]],
    "overview": [["info", "--format", "json"], ["info", "--all"]],
    "packed": [["dump", "--format", "json"], ["info"]],
    "text_log": [["replay", "--format", "csv"], ["check"]],
    "titles": [["titles", "list", "--format", "json"], ["check"]],
    "v1_block": [["dump", "--format", "jsonl"], ["check", "-v"], ["map", "--format", "json"]],
    "v1_differential": [["dump", "--format", "jsonl"], ["map"]],
    "v2_data": [["map"]],
    "v2_registration": [["map"]],
}
NOT_INPUTS = (".md", ".py", ".c", ".sh", ".xml", ".json", ".man")
# What is made on the platform itself, and read by it again; {} is a file. (`info` and `compare` show how long it took to
# collect the samples.)
MADE = [
    [["capture", "--simulate", "--count", "5", "-o", "{}"], ["dump", "{}", "--format", "jsonl"]],
    [["capture", "--simulate", "--count", "5", "-o", "{}"], ["check", "-v", "{}"]],
    [["capture", "--simulate", "--v1", "--count", "9", "--interval", "60", "-o", "{}"], ["replay", "{}", "--summary"]],
    [["compare", "testdata/captures/simulated.mcap"]],
    [["dump", "--simulate", "--format", "json"]],
    [["titles", "list", "--format", "json"]],
    [["titles", "export", "--format", "multi_sz"]],
]


def files(folder):
    """Returns the paths of all files of a folder, in order."""
    return sorted(str(path) for path in pathlib.Path(folder).rglob("*") if path.is_file())


def all_commands(shared):
    """Returns the runs: each is a list of commands, of which later ones may read a file that the first one wrote."""
    runs = [list(run) for run in MADE]
    real = [path for path in files(os.path.join(shared, "data")) if not path.endswith(NOT_INPUTS)] if shared else []
    for path in files("testdata/captures") + real:
        runs += [[[sub, "--format", form, path]] for sub, form in SHOWN]
        runs += [[[*words, path]] for words in FURTHER]
        runs.append([["capture", path, "-o", "{}"], ["dump", "{}", "--format", "jsonl"]])
        if "titles" in path:
            runs.append([["titles", "list", "--format", "json", path]])
    for name, commands in CORPORA.items():
        runs += [[[*words, path]] for path in files(f"testdata/corpus/{name}") for words in commands]
    return runs
