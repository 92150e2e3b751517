# SPDX-License-Identifier: Apache-2.0
"""Which of the programs that planners ask for are compiled, and what tells whether they have changed.

The case list (tests/programs/) knows thousands for the GPUs together. Compiled are, for every GPU, as few as show each
value of each option and each form of tiles, those with the most options first; --every takes all.
"""
import collections
import functools
import hashlib
import itertools
import os
import re

from offline_compile import CL, SHIM
from offline_gpus import GPUS

FORMS = {"gemm/tiled.cl": ("TILE_M", "TILE_N", "ITEM_M", "ITEM_N"),
         "gemm/skinny_tiled.cl": ("ROWS", "TRANSPOSE_B"),
         "attention/flash_tiled.cl": ("LANES_KEY", "LANES_ROW", "ROWS_ITEM", "VECTOR", "PASSES", "VALUE_KEYS")}
# Of these a GPU shows each third value, the next GPU the next ones.
SPREAD = ("ACTIVATION", "KIND")
MODE = "6"  # of reading what compilers say; another number makes every row new


class Program:
    """A file below cl/ with its options, for one GPU."""

    def __init__(self, source, options, gpu, items):
        self.source, self.options, self.gpu, self.items = source, options, gpu, int(items)
        self.values = dict(re.findall(r"-D (\w+)=(-?\d+)", options))

    @property
    def form(self):
        return tuple(self.values[name] for name in FORMS.get(self.source, ()))

    @functools.cached_property
    def fingerprint(self):
        text = "\0".join((MODE, self.gpu, str(self.items), self.options, flattened(self.source),
                          flattened(SHIM) if self.gpu.startswith("sm_") else ""))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def shows(self):
        """What compiling it covers."""
        others = {(name, value) for name, value in self.values.items() if name not in FORMS.get(self.source, ())
                  and (name not in SPREAD or int(value) % 3 == list(GPUS).index(self.gpu) % 3)}
        return others | {self.form}


@functools.lru_cache(None)
def flattened(path):
    """A kernel file with what it includes, each file once as include guards have it, without comments and layout."""
    texts, seen = [], set()

    def add(name):
        if name in seen:
            return
        seen.add(name)
        with open(name if os.path.isabs(name) else os.path.join(CL, name), encoding="utf-8") as file:
            text = re.sub(r"//.*|/\*.*?\*/", "", file.read().replace("/*", "\0/*"), flags=0)
        texts.append(re.sub(r"[ \t]+", " ", re.sub(r"\n\s*\n+", "\n", text)))
        for included in re.findall(r'^#include "(.*)"', text, re.M):
            add(included)

    add(path)
    return "\n".join(texts)


def read_list(lines):
    """The programs of the tiled family, each once; a line is what `programs` prints."""
    programs = {}
    for line in lines:
        source, options, family, gpu, _, items = line.rstrip("\n").split("\t")
        if family == "tiled":
            programs.setdefault((gpu, source, options), Program(source, options, gpu, items))
    return list(programs.values())


def chosen(programs):
    """As few of one GPU's programs of one file as show all that they all show; greedily, the fullest first."""
    groups = collections.defaultdict(list)
    for program in programs:
        groups[program.gpu, program.source].append(program)
    found = []
    for group in groups.values():
        shows = {program: program.shows() for program in sorted(group, key=lambda program: program.options)}
        left = set(itertools.chain.from_iterable(shows.values()))
        while left:
            best = max(shows, key=lambda program: (len(shows[program] & left),
                                                   sum(value != "0" for value in program.values.values())))
            left -= shows[best]
            found.append(best)
    return found
