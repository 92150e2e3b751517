#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels for GPUs that are not there, and holds docs/offline.md against what the compilers say.

What `programs` prints comes on standard input. See tools/offline for what the options mean.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import sys
import threading

import offline_document as document
from offline_cases import chosen, read_list
from offline_compile import ROOT, Kernel, compile_one, compilers_here
from offline_gpus import GPUS
from offline_loops import Mix

DOCUMENT = os.path.join(ROOT, "docs", "offline.md")


class Results:
    """What compilers have said, kept from run to run, so that a run that was ended goes on where it stood."""

    def __init__(self, path, versions, fresh):
        self.path, self.versions, self.known, self.lock = path, versions, {}, threading.Lock()
        if path and not fresh and os.path.exists(path):
            with open(path, encoding="utf-8") as lines:
                for line in lines:
                    if line.endswith("\n"):
                        key, kernels, refusal = json.loads(line)
                        self.known[key] = ([Kernel(*k[:-1], k[-1] and Mix(*k[-1])) for k in kernels], refusal)

    def of(self, program, tools):
        key = program.fingerprint + " " + self.versions[GPUS[program.gpu].maker]
        if key not in self.known:
            found = compile_one(program, tools)
            with self.lock:
                self.known[key] = found
                if self.path:
                    with open(self.path, "a", encoding="utf-8") as out:
                        out.write(json.dumps((key, *found)) + "\n")
        return self.known[key]


def faults_of(program, kernels, refusal):
    if refusal is not None or not kernels:
        return ["does not compile:\n" + (refusal or "no kernel came out")[-2000:]]
    return [f"{kernel.kernel}: {kernel.scratch} bytes of scratch, {kernel.spills} spilled"
            for kernel in kernels if kernel.scratch or kernel.spills]


def groups_of(programs):
    """Programs by GPU and row of its table, in the order of the case list."""
    groups = collections.defaultdict(lambda: collections.defaultdict(list))
    for program in sorted(programs, key=lambda program: (list(GPUS).index(program.gpu), program.source,
                                                         [int(value) for value in program.form], program.options)):
        groups[program.gpu][program.source, program.form].append(program)
    return groups


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--gpu", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--tools", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kept", help="a file for what compilers have said")
    return parser.parse_args()


class Count(dict):
    """What became of the programs of each GPU."""

    def of(self, gpu):
        return self.setdefault(gpu, {"compiled": 0, "unchanged": 0, "with faults": 0})


def compile_groups(groups, results, given, count):
    """Compiles what is left to compile; prints faults. (gpu, row of the table) -> its rows."""
    rows = {}
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        waiting = [(key, group, [pool.submit(results.of, program, given.tools) for program in group])
                   for key, group in groups]
        for key, group, futures in waiting:
            found = [future.result() for future in futures]
            for program, (kernels, refusal) in zip(group, found):
                faults = faults_of(program, kernels, refusal)
                for fault in faults:
                    print(f"    {program.gpu} {program.source} {program.options}: {fault}", flush=True)
                count.of(program.gpu)["compiled"] += 1
                count.of(program.gpu)["with faults"] += bool(faults)
            rows[key] = document.rows_of(group, [kernels for kernels, _ in found])
    return rows


def settle(write, text, rows, versions, missing, made_by):
    """Writes the document, or says whether it is what the tree gives: 1 if not."""
    if missing or (not write and made_by and made_by != versions):
        print("    skipped: docs/offline.md was made by other compilers, or some are not here")
        return 0
    by_gpu = {gpu: [row for key in sorted(rows, key=lambda key: (key[1][0], [int(value) for value in key[1][1]]))
                    if key[0] == gpu for row in rows[key]] for gpu in GPUS}
    made = document.write(by_gpu, versions)
    if write:
        os.makedirs(os.path.dirname(DOCUMENT), exist_ok=True)
        with open(DOCUMENT, "w", encoding="utf-8") as out:
            out.write(made)
    elif made != text:
        print("    docs/offline.md is not what the tree gives: tools/offline --write")
        return 1
    return 0


def main():
    given = arguments()
    programs = read_list(sys.stdin)
    versions, missing = compilers_here(given.tools)
    partial = given.every or given.gpu or given.only
    programs = [program for program in (programs if given.every else chosen(programs))
                if given.only in program.source and given.gpu in program.gpu]
    text = ""
    if os.path.exists(DOCUMENT):
        with open(DOCUMENT, encoding="utf-8") as file:
            text = file.read()
    made_by, known = document.read(text)
    results, count, rows, to_compile = Results(given.kept, versions, given.again), Count(), {}, []
    for gpu, groups in groups_of(programs).items():
        maker = GPUS[gpu].maker
        if maker in missing:
            continue
        for key, group in groups.items():
            old = known[gpu].get(document.state(group))
            if old and made_by.get(maker) == versions[maker] and not (given.again or given.every):
                rows[gpu, key] = old
                count.of(gpu)["unchanged"] += len(group)
            else:
                to_compile.append(((gpu, key), group))
    rows.update(compile_groups(to_compile, results, given, count))
    for gpu, numbers in count.items():
        print(f"    {gpu}: " + ", ".join(f"{number} {what}" for what, number in numbers.items()))
    failed = sum(numbers["with faults"] for numbers in count.values())
    passed = sum(numbers["compiled"] + numbers["unchanged"] for numbers in count.values()) - failed
    for maker, reason in missing.items():
        print(f"    skipped: {maker}: {reason}")
    if not partial:
        failed += settle(given.write, text, rows, versions, missing, made_by)
    print(f"offline: {passed} passed, {failed} failed, {len(missing)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
