# SPDX-License-Identifier: Apache-2.0
"""Compiles one program for one GPU, and reads what the compilers say about its kernels."""
import os
import re
import shutil
import subprocess
import tempfile
from typing import List, NamedTuple, Optional

import offline_loops as loops
from offline_gpus import GPUS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CL = os.path.join(ROOT, "cl")
SHIM = os.path.join(ROOT, "tools", "lib", "nvidia_shim.h")
LIBCLC = {"AMD": "/usr/lib/clc/amdgcn--amdhsa.bc", "NVIDIA": "/usr/lib/clc/nvptx64--nvidiacl.bc"}
GEMM_LIKE = ("gemm_tiled", "gemm_skinny_tiled", "flash_tiled")


class Refused(Exception):
    """A compiler said no; the message is its log."""


class Kernel(NamedTuple):
    kernel: str
    registers: int
    local: int
    waves: int
    code: int
    scratch: int
    spills: int
    mix: Optional[loops.Mix]


def call(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          errors="replace", env={**os.environ, **environment})
    if done.returncode:
        raise Refused(done.stdout)
    return done.stdout


def number(pattern, text, otherwise=0):
    match = re.search(pattern, text)
    return int(match[1]) if match else otherwise


def clang(target, extra, bitcode, options, path):
    return ["clang-19", "-x", "cl", "-I", CL, "-target", target, *extra, "-nogpulib", "-O3", "-Xclang",
            "-mlink-builtin-bitcode", "-Xclang", bitcode, "-Wno-linker-warnings", "-Xclang", "-Wno-linker-warnings",
            *options.split(), "-S", path]


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as text:
        return text.read()


def amd(program, folder, _tools) -> List[Kernel]:
    gpu, path, options = program.gpu, os.path.join(CL, program.source), program.options
    said = call(clang("amdgcn-amd-amdhsa", ["-mcpu=" + gpu], LIBCLC["AMD"], options, path)
                + ["-Rpass-analysis=kernel-resource-usage", "-o", "k.s"], folder)
    assembly, rows = read(folder, "k.s"), []
    for part in said.split("remark: Function Name: ")[1:]:
        value = lambda key: number(r"remark:\s+" + key + r"[^:]*: (\d+)", part)
        name = part.split()[0]
        code = assembly[assembly.index(f"\n{name}:"):]
        rows.append(Kernel(name, value("VGPRs"), value("LDS Size"), value("Occupancy"),
                           number(r"; codeLenInByte = (\d+)", code), value("ScratchSize"),
                           value("SGPRs Spill") + value("VGPRs Spill"),
                           loops.amd(assembly, name) if name in GEMM_LIKE else None))
    return rows


def intel(program, folder, _tools) -> List[Kernel]:
    gpu, path, options = program.gpu, os.path.join(CL, program.source), program.options
    looked_at = os.path.join(folder, "asm")
    os.mkdir(looked_at)
    said = call(["ocloc", "compile", "-file", path, "-device", gpu, "-out_dir", folder, "-output", "k", "-options",
                 f"{options} -I {CL}", "-internal_options", "-cl-intel-allow-zebin"], folder,
                **({"IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": looked_at}
                   if any(name in read(os.path.dirname(path), os.path.basename(path)) for name in GEMM_LIKE) else {}))
    binary = [name for name in os.listdir(folder) if name.endswith(".bin")]
    if not binary:
        raise Refused(said)
    dump = os.path.join(folder, "dump")
    os.mkdir(dump)
    call(["ocloc", "disasm", "-file", binary[0], "-device", gpu, "-dump", dump], folder)
    rows = []
    for part in read(dump, ".ze_info").split("kernels_misc_info:")[0].split("  - name: ")[1:]:
        name = part.split()[0]
        if name.startswith("Intel_Symbol_Table"):
            continue
        simd, local = number(r"simd_size:\s+(\d+)", part), number(r"slm_size:\s+(\d+)", part)
        # pvc has private arrays and spills in a single space.
        scratch = sum(int(size) for size in re.findall(r"usage:\s+(?:private|single)_space\s+size:\s+(\d+)", part))
        spills = sum(int(size) for size in re.findall(r"usage:\s+spill_fill_space\s+size:\s+(\d+)", part))
        mix = None
        if name in GEMM_LIKE:
            files = sorted(file for file in os.listdir(looked_at) if re.search(rf"simd{simd}_entry\w*\.asm$", file))
            mix = loops.intel(read(looked_at, files[-1]), gpu, simd) if files else None
        rows.append(Kernel(name, number(r"grf_count:\s+(\d+)", part), local,
                           resident(gpu, -(-program.items // simd), local, GPUS[gpu].threads),
                           os.path.getsize(os.path.join(dump, ".text." + name)), scratch, spills, mix))
    return rows


def resident(gpu, waves, local, most):
    """Waves of a scheduler when groups of so many waves with so much local memory fill their compute unit."""
    here = GPUS[gpu]
    groups = most * here.schedulers // waves
    if local:
        groups = min(groups, here.local // local)
    return max(1, groups * waves // here.schedulers) if groups else 0


def nvidia(program, folder, tools) -> List[Kernel]:
    gpu, path, options = program.gpu, os.path.join(CL, program.source), program.options
    # clang-19 does not know the newest; ptxas takes older PTX for them.
    known = gpu if gpu != "sm_120" else "sm_90"
    call(clang("nvptx64-nvidia-nvidiacl", ["-Xclang", "-target-cpu", "-Xclang", known, "-include", SHIM],
               LIBCLC["NVIDIA"], options, path) + ["-o", "k.ptx"], folder)
    said = call([os.path.join(tools, "ptxas"), "-arch=" + gpu, "-v", "k.ptx", "-o", "k.cubin"], folder)
    assembly = call([os.path.join(tools, "nvdisasm"), "-c", "k.cubin"], folder)
    rows = []
    for part in said.split("Compiling entry function '")[1:]:
        name = part.split("'")[0]
        registers, local = number(r"Used (\d+) registers", part), number(r"(\d+) bytes smem", part)
        waves = -(-program.items // 32)
        code = assembly[assembly.index(f".text.{name}:"):]
        code = code[:code.find(".section")] if ".section" in code else code
        last = re.findall(r"/\*([0-9a-f]{4,})\*/\s+[@A-Z]", code)
        # A register file of 64 Ki for four schedulers, given out to warps in units of 8 registers a lane.
        most = min(GPUS[gpu].threads, (16 << 10) // (32 * max(8, (registers + 7) // 8 * 8)))
        rows.append(Kernel(name, registers, local, resident(gpu, waves, local + (1 << 10 if gpu != "sm_75" else 0), most),
                           int(last[-1], 16) + 16 if last else 0, number(r"(\d+) bytes stack frame", part),
                           number(r"(\d+) bytes spill stores", part) + number(r"(\d+) bytes spill loads", part),
                           loops.nvidia(assembly, name) if name in GEMM_LIKE else None))
    return rows


COMPILERS = {"AMD": amd, "Intel": intel, "NVIDIA": nvidia}


def compile_one(program, tools):
    """(kernels, None), or ([], what the compiler said)."""
    scratch = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        try:
            return COMPILERS[GPUS[program.gpu].maker](program, folder, tools), None
        except Refused as refused:
            return [], str(refused)


def version(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout


def compilers_here(tools):
    """maker -> the compilers' versions; and maker -> why they are not here."""
    here, missing = {}, {}
    has_clang = shutil.which("clang-19")
    clang_is = "clang " + (re.search(r"version (\S+)", version(["clang-19", "--version"])) or ["", "?"])[1] \
        if has_clang else ""
    if has_clang and os.path.exists(LIBCLC["AMD"]):
        here["AMD"] = clang_is
    else:
        missing["AMD"] = "clang-19 or libclc (package mesa-opencl-icd) is not installed"
    if shutil.which("ocloc"):
        here["Intel"] = "ocloc " + (re.search(r"\d+\.\d+\.\S+", version(
            ["dpkg-query", "-W", "-f", "${Version}", "intel-opencl-icd"])) or ["?"])[0]
    else:
        missing["Intel"] = "ocloc (package intel-opencl-icd) is not installed"
    has_tools = all(os.access(os.path.join(tools, name), os.X_OK) for name in ("ptxas", "nvdisasm"))
    if has_clang and has_tools and os.path.exists(LIBCLC["NVIDIA"]):
        here["NVIDIA"] = clang_is + ", ptxas " + (re.search(r"V(\d\S+)", version(
            [os.path.join(tools, "ptxas"), "--version"])) or ["", "?"])[1]
    else:
        missing["NVIDIA"] = "ptxas and nvdisasm (PyPI), clang-19 or libclc are not there"
    return here, missing
