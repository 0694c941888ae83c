#!/usr/bin/env python3
"""pages.py [--update] PAGE...: runs each `$ ...` of the blocks ```console tests/systems/clickhouse/run.sh, in the current
folder, one after the other, and compares the output with the page; --update: writes it to the page instead. A page without
such a block is an error, since nothing would be checked."""

import re
import subprocess
import sys

BLOCK = re.compile(r"(?<=^```console tests/systems/clickhouse/run.sh\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def run(block):
    """Returns the block with the current output of its commands."""
    text = ""
    # A command continues on the next line after a backslash, or inside quotes: there it is indented.
    for command in re.findall(r"^\$ (.*(?:\n    .*)*)$", block, re.MULTILINE):
        done = subprocess.run(
            ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        text += f"$ {command}\n{done.stdout}"
    return text


def checked(found):
    shown = found.group()
    now = run(shown)
    if now != shown:
        print(f"--- shown\n{shown}--- now\n{now}")
    return now


if __name__ == "__main__":
    update = "--update" in sys.argv
    same = True
    for page in (name for name in sys.argv[1:] if name != "--update"):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        now, blocks = BLOCK.subn(checked, text)
        if blocks == 0:
            sys.exit(f"{page}: no block to be run")
        same = same and now == text
        if update and now != text:
            with open(page, "w", encoding="utf-8") as file:
                file.write(now)
    sys.exit(0 if same or update else 1)
