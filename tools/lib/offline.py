#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels for GPUs that are not there, and reads what the compilers say about them.

A program is (file below cl/, options). Without a list on standard input each file below cl/ that holds a kernel is
compiled with its default parameters; else the list's lines are FILE <tab> OPTIONS. A kernel of the vector family is
made for CPUs: it has to compile, but may spill (its file says so: a name with "vector" in it).
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
                if name.endswith(".cl") and "__kernel" in text.read():
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true", help="read FILE <tab> OPTIONS from standard input")
    parser.add_argument("--ptxas", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", help="write registers, local memory and occupancy of every kernel here")
    parser.add_argument("--only", default="", help="programs whose file name holds this")
    given = parser.parse_args()
    programs = [tuple(line.rstrip("\n").split("\t", 1)) for line in sys.stdin] if given.list else with_defaults()
    programs = [program for program in dict.fromkeys(programs) if given.only in program[0]]
    targets, missing = targets_here(given.ptxas)
    passed = failed = 0
    table = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for target in targets:
            bad = kernels = 0
            for program, (rows, refusal) in zip(
                    programs, pool.map(lambda one: compile_one(target, one, given.ptxas), programs)):
                faults = [f"{row['kernel']}: {row['scratch']} bytes of scratch, {row['spills']} spilled"
                          for row in rows if row["scratch"] or row["spills"]]
                if "vector" in program[0]:
                    faults = []
                if refusal is not None or not rows:
                    faults = ["does not compile:\n" + (refusal or "no kernel came out")[-2000:]]
                for fault in faults:
                    print(f"    {target} {program[0]} {program[1]}: {fault}")
                bad += bool(faults)
                kernels += len(rows)
                table += [(program[0], row["kernel"], program[1], target, row["registers"], row["local"],
                           row["occupancy"], row["scratch"], row["spills"]) for row in rows]
            print(f"    {target}: {len(programs)} programs, {kernels} kernels, {bad} with faults")
            passed, failed = passed + len(programs) - bad, failed + bad
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
