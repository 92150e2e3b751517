#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the kernel files below cl/ into C: sources.c with their text, sources.h with one od_source each.

usage: embed.py CL_FOLDER SOURCES_C SOURCES_H DEPFILE FILE.cl...

Includes are expanded in place, each file once, with #line so that a compiler's message names the real file and line.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def flatten(root, name, seen):
    seen.append(name)
    yield f'#line 1 "{name}"'
    for number, line in enumerate((root / name).read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            yield line
        else:
            if match.group(1) not in seen:
                yield from flatten(root, match.group(1), seen)
            yield f'#line {number + 1} "{name}"'


def literal(line):
    return '    "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'


def main(root, source_path, header_path, dep_path, files):
    root = pathlib.Path(root)
    licence = "/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by tools/embed.py from cl/: edit that. */\n"
    source = [licence + '#include "sources.h"\n\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n']
    header = [licence + '#ifndef OD_SOURCES_H\n#define OD_SOURCES_H\n\n#include "base/source.h"\n']
    dependencies = set()
    for file in files:
        name = pathlib.Path(file).resolve().relative_to(root.resolve()).as_posix()
        symbol = "od_source_" + re.sub(r"\W", "_", name.removesuffix(".cl"))
        seen = []
        lines = list(flatten(root, name, seen))
        dependencies.update(str(root / one) for one in seen)
        source.append(f"static const char text_of_{symbol}[] =\n" + "\n".join(map(literal, lines)) + ";\n"
                      f'const od_source {symbol} = {{"{name}", text_of_{symbol}, sizeof text_of_{symbol} - 1}};\n')
        header.append(f"extern const od_source {symbol};")
    header.append("\n#endif\n")
    pathlib.Path(source_path).write_text("\n".join(source))
    pathlib.Path(header_path).write_text("\n".join(header))
    pathlib.Path(dep_path).write_text(f"{source_path} {header_path}: " + " ".join(sorted(dependencies)) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:5], sys.argv[5:])
