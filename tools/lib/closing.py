#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""closing.py LABEL TESTLOG.json: what a `meson test` run came to.

Prints the closing lines of every program (cmocka's, or "N passed, N failed"), then "LABEL: N passed, N failed, N
skipped" over all of them. A program that has no such line counts as one test. Exit status 1 if anything failed or nothing ran.
"""
import json
import os
import re
import sys

CMOCKA = re.compile(r"^\[\s*(PASSED|FAILED|SKIPPED)\s*\] (\d+) test\(s\)", re.M)
# A kernel family that a program of operators leaves out because of the driver (tests/kit/kit.c).
FAMILY = re.compile(r"^skipped: .* family: (?!OCLDNN_TEST_FAMILY)", re.M)
# What PoCL prints when a kernel is built with warnings: the library promises that nothing appears on the terminal.
# Oclgrind says so whatever it is asked.
NOISE = re.compile(r"^\d+ warnings? generated", re.M)
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


def count(run, lines, label):
    """(passed, failed, skipped) of one program under a label, whose closing lines are appended to lines."""
    text = run.get("stdout", "") + "\n" + run.get("stderr", "")
    name = run["name"].split(" / ")[-1]
    found = {kind: 0 for kind in ("PASSED", "FAILED", "SKIPPED")}
    for kind, number in CMOCKA.findall(text):
        found[kind] += int(number)
    for numbers in PLAIN.findall(text):
        for kind, number in zip(found, numbers):
            found[kind] += int(number or 0)
    found["SKIPPED"] += len(FAMILY.findall(text))
    said = ", ".join(f"[ {kind} ] {number} test(s)" for kind, number in found.items() if number)
    # cmocka counts a skipped test among the passed ones or not, by version; never let a sum hide a failed program.
    passed, failed, skipped = found["PASSED"], found["FAILED"], found["SKIPPED"]
    if run["result"] == "SKIP":
        passed, failed, skipped = 0, 0, max(1, skipped)
        said = "skipped: " + (last_line(text) or "no reason given")
    elif run["result"] not in ("OK", "EXPECTEDFAIL"):
        failed = max(1, failed)
        said = f"{run['result']} {said}".strip()
    elif not (passed or skipped):
        passed = 1
        said = last_line(text)
    if label != "oclgrind" and NOISE.search(text):
        failed = max(1, failed)
        said += ", but a kernel's build printed on the terminal"
    lines.append(f"    {name}: {said} ({run['duration']:.1f} s)")
    if failed:
        lines.extend("    | " + line for line in text.strip().splitlines()[-60:])
    return passed, failed, skipped


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else ""


def main():
    label, path = sys.argv[1:]
    lines, total = [], [0, 0, 0]
    if os.path.exists(path):
        with open(path, encoding="utf-8") as log:
            for row in log:
                for i, number in enumerate(count(json.loads(row), lines, label)):
                    total[i] += number
    print("\n".join(lines or ["    no test ran"]))
    print(f"{label}: {total[0]} passed, {total[1]} failed, {total[2]} skipped")
    sys.exit(1 if total[1] or not total[0] else 0)


if __name__ == "__main__":
    main()
