"""What tests in Python need of the machine that runs them, as support/machine.hpp for tests in C++."""

import os

SKIPPED = 77


def reason(what):
    return f"this machine has no {what}"


def report(what):
    """Returns the exit code of a test that cannot run, after a line with the reason: a failure if the environment has CI."""
    if "CI" in os.environ:
        print(f"failed: {reason(what)}, and the environment has CI")
        return 1
    print(f"skipped: {reason(what)}")
    return SKIPPED


def shared():
    """Does the same for the real data, which HKPD_REQUIRE_SHARED=1 requires."""
    required = os.environ.get("HKPD_REQUIRE_SHARED") == "1"
    print(f"{'failed' if required else 'skipped'}: needs the real data of ../shared")
    return 1 if required else SKIPPED
