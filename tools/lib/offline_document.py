# SPDX-License-Identifier: Apache-2.0
"""docs/offline.md: written from what the compilers say, and read back, so that only what has changed is compiled."""
import collections
import hashlib
import re

from offline_gpus import GPUS, MAKERS

HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
# Kernels on GPUs that are not here

Made by `tools/offline --write`: the planners' programs, compiled by {versions}. No figure here is measured on a GPU.

Products and attention are meant to leave 75 % of their hot loop's issue slots to multiply-adds, and two waves to a
scheduler. Packed (CDNA) and paired ones (RDNA 3 and 4) halve the slots of arithmetic but not of what feeds it: there
FMA / slot says more. Skinny products are bound by reading B, whatever their loop looks like.

* **programs**: how many stand behind a row (dtypes, options); the row has the most registers, local memory and code and
  the fewest waves of them, the lowest share of multiply-adds, the most bytes.
* **registers**: 32-bit ones of an item (AMD, NVIDIA); of a thread, 32 bytes each, on Intel (64 on pvc).
* **waves** that a scheduler (AMD: SIMD, Intel: vector engine, NVIDIA: quarter of a multiprocessor) holds at once.
* **FMA**: share of the issue slots that multiply and add, in the loop that multiplies what lies in local memory (of
  attention's two the worse one); scalar instructions, waits and branches are slots too. **FMA / slot** counts packed and
  paired ones double.
* **local**, **memory**: bytes that an item moves in local memory, and that come from global memory if no cache helps, for
  each multiply-add (F32 operands).
* **bound**: what takes longest for a multiply-add if each runs at the card's full rate, and how much of the card's
  arithmetic peak that leaves: issue slots, local memory (as if no two lanes read the same), or memory (as if each group
  read its operands anew).
* **state**: a hash of sources and options. A row whose state is that of the tree is not compiled again by the test.

"""
COLUMNS = ("kernel", "form", "programs", "registers", "local memory", "waves", "code", "FMA", "FMA / slot", "local",
           "memory", "bound", "state")
RIGHT = COLUMNS[2:11]


class Row(dict):
    """A line of a GPU's table; strings, as they stand there."""


def state(programs):
    return hashlib.sha256("".join(sorted(program.fingerprint for program in programs)).encode()).hexdigest()[:8]


def form_words(program):
    v = {name: int(value) for name, value in program.values.items()}
    if program.source == "gemm/tiled.cl":
        return f"{v['TILE_M']} x {v['TILE_N']}, {v['ITEM_M']} x {v['ITEM_N']} an item"
    if program.source == "gemm/skinny_tiled.cl":
        return f"{v['ROWS']} rows, B [{'n, k' if v['TRANSPOSE_B'] else 'k, n'}]"
    if program.source == "attention/flash_tiled.cl":
        return (f"{v['LANES_ROW'] * v['ROWS_ITEM']} rows x {v['LANES_KEY'] * 4} keys, "
                f"{v['LANES_KEY'] * v['VECTOR'] * v['PASSES']} columns")
    return ""


def traffic(program):
    """Bytes from global memory for a multiply-add, all operands F32."""
    v = {name: int(value) for name, value in program.values.items()}
    if program.source == "gemm/tiled.cl":
        return 4 / v["TILE_M"] + 4 / v["TILE_N"]
    if program.source == "gemm/skinny_tiled.cl":
        return 4 / v["ROWS"]
    rows, keys = v["LANES_ROW"] * v["ROWS_ITEM"], v["LANES_KEY"] * 4
    return 4 * (2 * keys + rows) / (2 * rows * keys)


def bound(gpu, mix, memory):
    here = GPUS[gpu]
    per_slot = 2 if here.fma == 128 and here.maker == "AMD" else 1  # packed or paired in the card's peak
    needs = {"issue": mix.slots * per_slot / mix.fma if here.maker != "Intel" else mix.slots / mix.arithmetic,
             "local memory": mix.local / mix.fma * here.fma / here.slm,
             "memory": memory * here.tflops * 1e3 / 2 / here.gbs}
    what = max(needs, key=needs.get)
    return f"{what}, {min(100, 100 / needs[what]):.0f} %"


def rows_of(group, kernels):
    """group: programs of one form; kernels: for each, what came out of it."""
    first, rows = group[0], []
    for name in sorted({kernel.kernel for found in kernels for kernel in found}):
        here = [kernel for found in kernels for kernel in found if kernel.kernel == name]
        row = Row({"kernel": name, "form": form_words(first), "programs": str(len(here)),
                   "registers": str(max(k.registers for k in here)), "local memory": str(max(k.local for k in here)),
                   "waves": str(min(k.waves for k in here)), "code": str(max(k.code for k in here)),
                   "state": state(group)})
        mixes = [kernel.mix for kernel in here if kernel.mix]
        if mixes:
            least, memory = min(mixes, key=lambda mix: mix.arithmetic / mix.slots), traffic(first)
            row.update({"FMA": f"{100 * least.arithmetic / least.slots:.0f} %",
                        "FMA / slot": f"{min(mix.fma / mix.slots for mix in mixes):.2f}",
                        "local": f"{max(mix.local / mix.fma for mix in mixes):.2f}", "memory": f"{memory:.3f}",
                        "bound": bound(first.gpu, least, memory)})
        rows.append(row)
    return rows


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def table(rows):
    text = line(COLUMNS) + line("---:" if column in RIGHT else "---" for column in COLUMNS)
    return text + "".join(line(row.get(column, "") for column in COLUMNS) for row in rows)


def summary(rows_by_gpu):
    def least(rows, column, kernel):
        found = [float(row[column].split()[0]) for row in rows if row["kernel"] == kernel and row.get(column)]
        return f"{min(found):.0f} to {max(found):.0f}" if found and min(found) < max(found) else \
            f"{found[0]:.0f}" if found else ""

    text = line(("GPU", "card", "programs", "spills", "scratch", "most registers", "waves: products", "attention", "others",
                 "FMA %: products", "attention")) + line(("---", "---") + ("---:",) * 9)
    for gpu, rows in rows_by_gpu.items():
        others = [row for row in rows if row["kernel"] not in ("gemm_tiled", "flash_tiled")]
        counted = {row["state"]: int(row["programs"]) for row in rows}
        text += line((gpu, f"{GPUS[gpu].maker} {GPUS[gpu].card}", str(sum(counted.values())), "0", "0",
                      str(max(int(row["registers"]) for row in rows)), least(rows, "waves", "gemm_tiled"),
                      least(rows, "waves", "flash_tiled"), str(min(int(row["waves"]) for row in others)),
                      least(rows, "FMA", "gemm_tiled"), least(rows, "FMA", "flash_tiled")))
    return text


def write(rows_by_gpu, versions):
    text = HEAD.format(versions="; ".join(f"{maker}: {versions[maker]}" for maker in MAKERS))
    text += "## All of them\n\n" + summary(rows_by_gpu)
    for gpu, rows in rows_by_gpu.items():
        text += f"\n## {gpu} ({GPUS[gpu].maker} {GPUS[gpu].card} and its like)\n\n" + table(rows)
    return text


def read(text):
    """(versions by maker, gpu -> state -> rows) of a document; empty for one that was never written."""
    versions = dict(re.findall(r"(AMD|Intel|NVIDIA): ([^;\n]*?)(?:;|\. No figure)", text))
    rows = collections.defaultdict(lambda: collections.defaultdict(list))
    gpu = None
    for text_line in text.splitlines():
        if text_line.startswith("## "):
            gpu = text_line.split()[1]
        cells = [cell.strip() for cell in text_line.strip("|").split("|")]
        if gpu in GPUS and len(cells) == len(COLUMNS) and cells[0] not in ("kernel", "---"):
            row = Row({column: cell for column, cell in zip(COLUMNS, cells) if cell or column == "form"})
            rows[gpu][row["state"]].append(row)
    return versions, rows
