#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels for GPUs that are not there, and reads what the compilers say about them.

A program is (file below cl/, options). Those of the tiled family come on standard input as the planners ask for them,
FILE <tab> OPTIONS <tab> FAMILY; besides, each file is compiled as it stands, with its default parameters. A program that
no plan for a GPU asks for has to compile, but may spill: it is made for CPUs.

Without --every a program is compiled for one GPU of each maker, which changes from program to program, so that every
GPU gets its share of every file: a third of an hour becomes minutes.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CL = os.path.join(ROOT, "cl")
AMD = ("gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1151", "gfx1201")
INTEL = ("tgllp", "dg2", "pvc")
NVIDIA = ("sm_75", "sm_80", "sm_90", "sm_120")
OPTIONS = "-cl-std=CL1.2 -cl-mad-enable"


class Refused(Exception):
    """A compiler said no; the message is its log."""


def call(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise Refused(done.stdout)
    return done.stdout


def clang(target, extra, bitcode, options, path):
    return ["clang-19", "-x", "cl", "-I", CL, "-target", target, *extra, "-nogpulib", "-O3", "-Xclang",
            "-mlink-builtin-bitcode", "-Xclang", bitcode, "-Wno-linker-warnings", "-Xclang", "-Wno-linker-warnings",
            *options.split(), "-S", path]


def amd(gpu, path, options, folder):
    said = call(clang("amdgcn-amd-amdhsa", ["-mcpu=" + gpu], "/usr/lib/clc/amdgcn--amdhsa.bc", options, path)
                + ["-Rpass-analysis=kernel-resource-usage", "-o", "k.s"], folder)
    rows = []
    for part in said.split("remark: Function Name: ")[1:]:
        value = lambda key: int(re.search(r"remark:\s+" + key + r"[^:]*: (\d+)", part).group(1))
        rows.append({"kernel": part.split()[0], "registers": value("VGPRs"), "local": value("LDS Size"),
                     "occupancy": value("Occupancy"), "scratch": value("ScratchSize"),
                     "spills": value("SGPRs Spill") + value("VGPRs Spill")})
    return rows


def intel(gpu, path, options, folder):
    said = call(["ocloc", "compile", "-file", path, "-device", gpu, "-out_dir", folder, "-output", "k", "-options",
                 f"{options} -I {CL}", "-internal_options", "-cl-intel-allow-zebin"], folder)
    binary = [name for name in os.listdir(folder) if name.endswith(".bin")]
    if not binary:
        raise Refused(said)
    dump = os.path.join(folder, "dump")
    os.mkdir(dump)
    call(["ocloc", "disasm", "-file", binary[0], "-device", gpu, "-dump", dump], folder)
    with open(os.path.join(dump, ".ze_info"), encoding="utf-8") as info:
        text = info.read().split("kernels_misc_info:")[0]
    rows = []
    for part in text.split("  - name: ")[1:]:
        name = part.split()[0]
        if name.startswith("Intel_Symbol_Table"):
            continue
        value = lambda key: int((re.search(key + r":\s+(\d+)", part) or [0, 0])[1])
        scratch = sum(int(size) for size in re.findall(r"usage:\s+private_space\s+size:\s+(\d+)", part))
        spills = sum(int(size) for size in re.findall(r"usage:\s+spill_fill_space\s+size:\s+(\d+)", part))
        rows.append({"kernel": name, "registers": value("grf_count"), "local": value("slm_size"),
                     "occupancy": value("simd_size"), "scratch": scratch, "spills": spills})
    return rows


def nvidia(gpu, path, options, folder, ptxas):
    # clang-19 does not know the newest; ptxas takes older PTX for them.
    known = gpu if gpu != "sm_120" else "sm_90"
    call(clang("nvptx64-nvidia-nvidiacl", ["-Xclang", "-target-cpu", "-Xclang", known, "-include",
                                           os.path.join(ROOT, "tools", "lib", "nvidia_shim.h")],
               "/usr/lib/clc/nvptx64--nvidiacl.bc", options, path) + ["-o", "k.ptx"], folder)
    said = call([ptxas, "-arch=" + gpu, "-v", "k.ptx", "-o", "k.cubin"], folder)
    rows = []
    for part in said.split("Compiling entry function '")[1:]:
        value = lambda pattern: int((re.search(pattern, part) or [0, 0])[1])
        rows.append({"kernel": part.split("'")[0], "registers": value(r"Used (\d+) registers"),
                     "local": value(r"(\d+) bytes smem"), "occupancy": 0, "scratch": value(r"(\d+) bytes stack frame"),
                     "spills": value(r"(\d+) bytes spill stores") + value(r"(\d+) bytes spill loads")})
    return rows


def compile_one(target, program, ptxas):
    path, options = os.path.join(CL, program[0]), program[1]
    with tempfile.TemporaryDirectory() as folder:
        try:
            if target in AMD:
                return amd(target, path, options, folder), None
            if target in INTEL:
                return intel(target, path, options, folder), None
            return nvidia(target, path, options, folder, ptxas), None
        except Refused as refused:
            return [], str(refused)


def with_defaults():
    programs = []
    for folder, _, names in sorted(os.walk(CL)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as text:
                if name.endswith(".cl") and re.search(r"^__kernel\b", text.read(), re.M):
                    programs.append((os.path.relpath(path, CL), OPTIONS))
    return programs


def targets_here(ptxas):
    """The targets whose compilers are here, and the reasons for the others."""
    targets, missing = [], []
    has_clang = shutil.which("clang-19")
    if has_clang and os.path.exists("/usr/lib/clc/amdgcn--amdhsa.bc"):
        targets += AMD
    else:
        missing.append("AMD: clang-19 or libclc is not installed")
    if shutil.which("ocloc"):
        targets += INTEL
    else:
        missing.append("Intel: ocloc (package intel-opencl-icd) is not installed")
    if has_clang and ptxas and os.path.exists("/usr/lib/clc/nvptx64--nvidiacl.bc"):
        targets += NVIDIA
    else:
        missing.append("NVIDIA: ptxas, clang-19 or libclc is not there")
    return targets, missing


def one_of_each_maker(targets, number):
    for maker in (AMD, INTEL, NVIDIA):
        here = [target for target in maker if target in targets]
        if here:
            yield here[number % len(here)]


def faults_of(rows, refusal, for_gpu):
    if refusal is not None or not rows:
        return ["does not compile:\n" + (refusal or "no kernel came out")[-2000:]]
    return [f"{row['kernel']}: {row['scratch']} bytes of scratch, {row['spills']} spilled"
            for row in rows if for_gpu and (row["scratch"] or row["spills"])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", action="store_true", help="every program for every GPU")
    parser.add_argument("--gpu", default="", help="this one only")
    parser.add_argument("--ptxas", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", help="write registers, local memory and occupancy of every kernel here")
    parser.add_argument("--only", default="", help="programs whose file name holds this")
    given = parser.parse_args()
    rows = [line.rstrip("\n").split("\t") for line in sys.stdin]
    for_gpus = {(file, options) for file, options, family in rows if family == "tiled"}
    programs = [program for program in sorted(for_gpus.union(with_defaults())) if given.only in program[0]]
    targets, missing = targets_here(given.ptxas)
    work = [(target, program) for number, program in enumerate(programs)
            for target in (targets if given.every else one_of_each_maker(targets, number)) if given.gpu in target]
    counts, table = {target: [0, 0, 0] for target in targets}, []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        done = pool.map(lambda pair: compile_one(*pair, given.ptxas), work)
        for (target, program), (rows, refusal) in zip(work, done):
            faults = faults_of(rows, refusal, program in for_gpus)
            for fault in faults:
                print(f"    {target} {program[0]} {program[1]}: {fault}", flush=True)
            counts[target] = [a + b for a, b in zip(counts[target], (1, len(rows), bool(faults)))]
            table += [(program[0], row["kernel"], program[1], target, row["registers"], row["local"],
                       row["occupancy"], row["scratch"], row["spills"]) for row in rows]
    for target, (programs_there, kernels, bad) in counts.items():
        print(f"    {target}: {programs_there} programs, {kernels} kernels, {bad} with faults")
    failed = sum(bad for _, _, bad in counts.values())
    passed = len(work) - failed
    for reason in missing:
        print(f"    skipped: {reason}")
    if given.table:
        with open(given.table, "w", encoding="utf-8") as out:
            out.write("file\tkernel\toptions\tgpu\tregisters\tlocal\toccupancy\tscratch\tspills\n")
            out.writelines("\t".join(map(str, row)) + "\n" for row in sorted(table))
    print(f"offline: {passed} passed, {failed} failed, {len(missing)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
