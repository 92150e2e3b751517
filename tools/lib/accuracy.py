# SPDX-License-Identifier: Apache-2.0
"""docs/accuracy.md from what the operators' tests have noted (OCLDNN_TEST_ACCURACY, tests/kit/accuracy.c).

usage: accuracy.py PAGE FILE...     DRIVER.txt for each OpenCL implementation that was measured; the others keep what
                                    stands of them in PAGE; the new page goes to stdout
"""
import collections
import pathlib
import sys

DTYPES = ("f32", "f16", "bf16")
NAMES = {"pocl": "PoCL", "rusticl": "rusticl", "intel": "Intel's CPU runtime"}

HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
# Accuracy

Made by `tools/accuracy`: what the operators' tests measured on each OpenCL implementation, over all shapes, layouts and
values that they draw. Each output is compared with a plain C reference in double precision, and so is a **plain
program**: the same formula in plain C with F32 arithmetic, with inputs and output of the same storage type.

For each storage type, the worst of all comparisons:

* **of plain**: the largest error in the output, as a part of the plain program's largest error in the same output (which
  counts as half a unit in the last place if it is less, since rounding alone may cost that). Up to 1 we are as close as
  the plain program; the tests allow 2, and one unit in the last place of each element on top.
* **ulp**: our largest error in an output, in units in the last place (of the storage type) of the output's largest
  value. 0.5 is correct rounding: an F16 or BF16 result that was computed in F32 and rounded once has that.
* **of bound**: the error of an element as a part of what the tests allow it: more than 1 fails.

`-` stands where nothing is compared in that way. A long sum that cancels leaves a small value with the error of its large
terms, in any program: this is why the plain program, and not a tolerance, is the measure, and why an element's own unit
is not the ruler. What must be equal to the last bit (copies, indices, sums of small integers, the order of top_k) is
tested for equality and does not stand here; top_k and linear_pack have nothing else. The kernel families, vector and
tiled, are those of CPUs and GPUs; the tests run both on every device where the driver can compile them. "AMX" has every
product on the processor's matrix unit.

The figures depend on processor, driver and compiler; the seed of the drawn problems is fixed.
"""


def read(path):
    """The device's line, and the comparisons by (operator, strategy, family), then by dtype."""
    device, found = None, collections.defaultdict(lambda: collections.defaultdict(list))
    for line in path.read_text().splitlines():
        fields = line.split("\t")
        if fields[0] == "device":
            device = fields[1:]
            continue
        operator, strategy, family, dtype = fields[:4]
        found[operator, family, strategy][dtype].append(list(map(float, fields[5:])))
    return device, found


def number(value):
    return "-" if value < 0 else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def cells(comparisons):
    if not comparisons:
        return ["-"] * 3
    ulp, _, of_plain, of_bound, _ = (max(column) for column in zip(*comparisons))
    return [number(of_plain), number(ulp), number(of_bound)]


def section(name, path):
    device, found = read(path)
    yield f"\n## {NAMES[name]}\n"
    yield f"{device[0]}; {device[1].split(',')[0].strip()}, driver {device[2]}.\n"
    heads = [f"{dtype.upper()} {what}" for dtype in DTYPES for what in ("of plain", "ulp", "of bound")]
    yield "| operator | family | strategy | comparisons | " + " | ".join(heads) + " |"
    yield "|---|---|---|--:|" + "--:|" * len(heads)
    for key in sorted(found):
        row = [cell for dtype in DTYPES for cell in cells(found[key].get(dtype))]
        count = sum(map(len, found[key].values()))
        yield "| " + " | ".join([*key, str(count), *row]) + " |"


def kept(page):
    """What stands in the page, by the title of the section."""
    parts = page.read_text().split("\n## ")[1:] if page.exists() else []
    return {part.split("\n", 1)[0]: "\n## " + part.rstrip("\n") for part in parts}


def main():
    page, *measured = map(pathlib.Path, sys.argv[1:])
    sections = kept(page)
    for path in measured:
        sections[NAMES[path.stem]] = "\n".join(section(path.stem, path))
    print(HEAD + "\n".join(sections[title] for title in NAMES.values() if title in sections))


if __name__ == "__main__":
    main()
