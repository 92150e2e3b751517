# SPDX-License-Identifier: Apache-2.0
"""The instruction mix of a kernel's hot loop, read from machine code.

A loop is the code between a label and a branch back to it, without the loops inside. Hot is one that multiplies what it
reads from local memory; of several the one with the lowest share of multiply-adds counts (attention has two). Where
there is none, it is the one with the most multiply-adds. Each instruction is an issue slot, scalar ones and waits too; AMD's hints to the scheduler
(s_delay_alu, s_clause) are none. On Intel a slot is a clock of the vector engine: an instruction over 16 lanes takes two
on engines of 8 lanes, and none is shorter than one.
"""
import re
from typing import NamedTuple, Optional


class Mix(NamedTuple):
    slots: int      # instructions
    arithmetic: int  # slots that multiply and add
    fma: float      # multiply-adds of one item
    local: int      # bytes an item reads or writes in local memory
    memory: int     # bytes it reads or writes elsewhere


class Instruction(NamedTuple):
    slots: int
    arithmetic: int
    fma: float
    local: int
    memory: int


NOTHING = Instruction(1, 0, 0, 0, 0)


def hot_loop(lines, label_of, targets_of, read):
    """lines: of one kernel. label_of(line) names the label that a line sets, targets_of(line) the labels that it may
    branch to, read(line) makes an Instruction or None."""
    labels, loops, code = {}, [], []
    for line in lines:
        name = label_of(line)
        if name:
            labels[name] = len(code)
            continue
        instruction = read(line)
        if instruction is None:
            continue
        code.append(instruction)
        loops += [(labels[target], len(code)) for target in targets_of(line) if target in labels]
    starts = {}
    for start, end in loops:  # a `continue` is no loop of its own
        starts[start] = max(end, starts.get(start, 0))
    loops = list(starts.items())

    def own(start, end):
        inside = [loop for loop in loops if loop != (start, end) and start <= loop[0] and loop[1] <= end]
        return [code[at] for at in range(start, end) if not any(s <= at < e for s, e in inside)]

    mixes = [Mix(*(sum(column) for column in zip(*own(*loop)))) for loop in loops if own(*loop)]
    hot = [mix for mix in mixes
           if mix.fma >= 16 and mix.local >= mix.fma / 2 and mix.arithmetic >= mix.slots / 3]
    found = min(hot, key=lambda mix: mix.arithmetic / mix.slots, default=None) or \
        max(mixes, key=lambda mix: mix.fma, default=None)
    return found if found and found.fma else None


# ---- AMD -------------------------------------------------------------------------------------------------------------

AMD_FMA = re.compile(r"v_(pk_|dual_)?(fma|fmac|mac|mad|fmamk|fmaak|fma_mix)_?(f32|legacy_f32)?(_\w+)?$")
AMD_WIDTH = {"b8": 1, "u8": 1, "i8": 1, "b16": 2, "u16": 2, "i16": 2, "b32": 4, "b64": 8, "b96": 12, "b128": 16, "dword": 4,
             "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "ubyte": 1, "sbyte": 1, "ushort": 2, "sshort": 2, "byte": 1,
             "short": 2}


def amd_instruction(line):
    text = line.split(";")[0].strip()
    if not text or text.startswith(".") or text.endswith(":"):
        return None
    name = text.split()[0]
    if name in ("s_delay_alu", "s_clause"):
        return None
    if re.match(r"v_(mfma|wmma|dot\d)", name):
        return Instruction(1, 1, 1, 0, 0)
    if "::" in text:
        parts = sum("v_dual_fma" in part for part in text.split("::"))
        return Instruction(1, parts > 0, parts, 0, 0)
    if re.match(r"v_(pk_)?(fma|mac|fmac|mad)", name) and "f32" in name or name.startswith("v_fma_mix"):
        return Instruction(1, 1, 2 if name.startswith("v_pk_") else 1, 0, 0)
    access = re.match(r"(ds|global|flat|buffer|scratch)_(read2?|write2?|load_2addr|store_2addr|load|store)(?:st64)?"
                      r"(?:_stride64)?_(?:d16_)?(?:hi_)?(\w+?)(?:_d16\w*|_addtid)?$", name)
    if access:
        width = AMD_WIDTH.get(access[3], 4) * (2 if "2" in access[2] else 1)
        return Instruction(1, 0, 0, width if access[1] == "ds" else 0, 0 if access[1] == "ds" else width)
    return NOTHING


def amd(assembly, kernel) -> Optional[Mix]:
    body = re.search(rf"^{kernel}:(.*?)^\.Lfunc_end", assembly, re.M | re.S)[1]

    def label_of(line):
        match = re.match(r"(\.LBB\w+):", line)
        return match and match[1]

    return hot_loop(body.splitlines(), label_of, lambda line: re.findall(r"s_c?branch\w*\s+(\.LBB\w+)", line),
                   amd_instruction)


# ---- NVIDIA ----------------------------------------------------------------------------------------------------------


def nvidia_instruction(line):
    match = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", line)
    if not match:
        return None
    name = match[1]
    if re.match(r"[HI]MMA|QGMMA", name):
        return Instruction(1, 1, 1, 0, 0)
    if name.startswith("FFMA"):
        return Instruction(1, 1, 2 if name.startswith("FFMA2") else 1, 0, 0)
    access = re.match(r"(LDS|STS|LDG|STG|LDL|STL|LD|ST)\b((?:\.\w+)*)$", name)
    if access:
        sizes = re.findall(r"\.(?:U|S)?(8|16|64|128)\b", access[2])
        width = int(sizes[-1]) // 8 if sizes else 4
        return Instruction(1, 0, 0, width if access[1][2:] == "S" else 0, 0 if access[1][2:] == "S" else width)
    return NOTHING


def nvidia(assembly, kernel) -> Optional[Mix]:
    start = assembly.index(f".text.{kernel}:")
    end = assembly.find(".section", start)
    body = assembly[start:end if end > 0 else None]

    def label_of(line):
        match = re.match(r"(\.L_x_\d+):", line)
        return match and match[1]

    return hot_loop(body.splitlines(), label_of, lambda line: re.findall(r"\bBRA\S*\s.*\((\.L_x_\d+)\)", line),
                   nvidia_instruction)


# ---- Intel -----------------------------------------------------------------------------------------------------------


def intel_reader(lanes, register_bytes, simd):
    """lanes: of a vector engine; register_bytes: of one register; simd: items of a thread."""

    def read(line):
        match = re.match(r"(?:\([^)]*\))?\s*([a-z][\w.]*)\s+\((\d+)\|M\d+\)(.*)|(?:\([^)]*\))?\s+(sync\.\w+|jmpi)\b", line)
        if not match:
            return None
        if match[4]:
            return NOTHING
        name, width, rest = match[1], int(match[2]), match[3]
        slots = max(1, width // lanes)
        if name in ("mad", "mac") and ":f " in rest and width > 1:
            return Instruction(slots, slots, width / simd, 0, 0)
        if name.startswith("dpas"):
            return Instruction(slots, slots, 1, 0, 0)
        if name.startswith(("send", "load", "store")):
            element = re.match(r"(?:load|store)\.(slm|ugm)\.d(\d+)(?:u\d+)?(?:x(\d+))?", name)
            if element:
                size = int(element[2]) // 8 * int(element[3] or 1) * width // simd
                return Instruction(1, 0, 0, size * (element[1] == "slm"), size * (element[1] != "slm"))
            moved = re.search(r"wr:(\d+)\+(\d+), rd:(\d+)", rest)
            size = (int(moved[2]) + int(moved[3])) * register_bytes // simd if moved else 0
            local = ".slm" in name or ".slm" in rest or re.search(r"0x\w+FE\s", rest) is not None
            return Instruction(1, 0, 0, size if local else 0, 0 if local else size)
        return Instruction(slots, 0, 0, 0, 0)

    return read


def intel(assembly, gpu, simd) -> Optional[Mix]:
    def label_of(line):
        match = re.match(r"(\w+):", line)
        return match and match[1]

    lanes, register_bytes = (16, 64) if gpu == "pvc" else (8, 32)
    return hot_loop(assembly.splitlines(), label_of, lambda line: re.findall(r"\b(?:jmpi|goto|while|brd|brc)\b.*", line) and
                   re.findall(r"\b(_?\w*_\w+)\b", line.split("//")[0]), intel_reader(lanes, register_bytes, simd))
