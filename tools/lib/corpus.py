#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""corpus.py unpack|pack FILE FOLDER: between a corpus as a text file, an input a line in hexadecimal digits, and as
libFuzzer has it, an input a file. What follows a space in a line is a remark; packing keeps lines with remarks."""
import hashlib
import os
import sys


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def unpack(path, folder):
    for line in lines_of(path):
        data = bytes.fromhex(line.split(" ")[0])
        with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as file:
            file.write(data)


def pack(path, folder):
    remarked = [line for line in lines_of(path) if " " in line]
    known = {line.split(" ")[0] for line in remarked}
    found = set()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            found.add(file.read().hex())
    inputs = sorted(found - known - {""}, key=lambda digits: (len(digits), digits))
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(["# SPDX-License-Identifier: Apache-2.0"] + remarked + inputs) + "\n")


if __name__ == "__main__":
    {"unpack": unpack, "pack": pack}[sys.argv[1]](*sys.argv[2:])
