#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C tables that the BERT tokenizer needs of Unicode: unicode_tables.py > unicode_tables.h

Run by the build, so that no table of 2,000 lines has to be kept and read. What "uncased" BERT does to a character is:
decompose it (NFD), drop the accents (category Mn), lower-case the rest. Hangul is left out: its syllables decompose by
a formula.
"""
import unicodedata

DROP, SPACE, PUNCTUATION, IDEOGRAPH = 1, 2, 3, 4
IDEOGRAPHS = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
              (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]


def is_accent(character):
    return unicodedata.category(character) == "Mn"


def fold(character):
    bare = "".join(c for c in unicodedata.normalize("NFD", character) if not is_accent(c))
    return "".join(c for part in bare for c in part.lower() if not is_accent(c))


def kind(code):
    character, category = chr(code), unicodedata.category(chr(code))
    if character in "\t\n\r" or (character.isspace() and not category.startswith("C")):
        return SPACE
    if code == 0xFFFD or category in ("Cc", "Cf", "Cs", "Co", "Mn"):
        return DROP
    if category.startswith("P") or (33 <= code < 127 and not character.isalnum()):
        return PUNCTUATION
    return IDEOGRAPH if any(low <= code <= high for low, high in IDEOGRAPHS) else 0


def kind_ranges():
    ranges, first, current = [], 0, 0
    for code in range(0x110000 + 1):
        now = kind(code) if code < 0x110000 else -1
        if now != current:
            if current > 0:
                ranges.append((first, code - 1, current))
            first, current = code, now
    return ranges


def folds():
    for code in range(0x110000):
        if 0xAC00 <= code <= 0xD7A3 or 0xD800 <= code <= 0xDFFF or kind(code) == DROP:
            continue
        to = fold(chr(code))
        if to != chr(code):
            yield code, [ord(c) for c in to]


def main():
    entries = list(folds())
    longest = max(len(to) for _, to in entries)
    print("/* SPDX-License-Identifier: Apache-2.0")
    print(f" * Made by unicode_tables.py from Unicode {unicodedata.unidata_version}. */")
    print(f"#define FOLD_LONGEST {longest}")
    print("static const struct { unsigned first, last, kind; } kinds[] = {")
    print(",\n".join("{0x%x, 0x%x, %d}" % entry for entry in kind_ranges()), "};")
    print(f"static const struct {{ unsigned from, length, to[{longest}]; }} folds[] = {{")
    print(",\n".join("{0x%x, %d, {%s}}" % (code, len(to), ", ".join("0x%x" % c for c in to or [0]))
                     for code, to in entries), "};")


if __name__ == "__main__":
    main()
