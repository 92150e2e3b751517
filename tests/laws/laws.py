#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of the house, checked on the sources and the built libraries.

usage: laws.py CHECKOUT STATIC_LIBRARY SHARED_LIBRARY PROGRAM_LIST DISK_WITH_FAULTS
       laws.py --write-abi CHECKOUT SHARED_LIBRARY      after a change of the interface that is meant

Each law is a function that yields what breaks it.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FLOORS = {"base": 0, "runtime": 1, "gemm": 2, "ops": 3}
SOURCE = {".c", ".h", ".cl", ".cpp", ".py", ".sh"}
# The licence itself, data in a published form (its folder's README names the licence), pictures.
WITHOUT_SPDX = re.compile(r"^LICENSE$|^tests/vectors/.*\.txt$|\.(svg|png|json)$")
MACHINE_PATH = re.compile(r"/(work|farm|tmp)/[A-Za-z]|/roo" r"t/")


def files(root):
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not (name in (".git", "__pycache__", "subprojects")
                                                    or (folder == str(root) and name.startswith("build")))]
        for name in sorted(names):
            if name != ".git":  # a file in a worktree
                yield pathlib.Path(folder, name)


def code(path):
    """A C file's text without comments and strings, its lines kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, path.read_text(), flags=re.S)


def library_files(root):
    for path in files(root / "lib"):
        if path.suffix in (".c", ".h"):
            yield path, path.relative_to(root / "lib").parts[0]


def floors_include_only_what_lies_below(root):
    for path, floor in library_files(root):
        for target in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.M):
            other = target.split("/")[0]
            if other in FLOORS and FLOORS[other] > FLOORS[floor]:
                yield f"{path.relative_to(root)}: floor {floor} includes {target}"
            elif "/" in target and other not in FLOORS:
                yield f"{path.relative_to(root)}: {target} is on no floor"


def opencl_is_called_in_the_runtime_only(root):
    blast = set()
    for path, floor in library_files(root):
        text = code(path)
        if re.search(r"\bCLBlast\w+\s*\(", text):
            blast.add(path.relative_to(root))
        for call in re.findall(r"\b(cl[A-Z]\w*)\s*\(", text) if floor != "runtime" else []:
            yield f"{path.relative_to(root)}: calls {call}"
    if len(blast) > 1:
        yield f"CLBlast is called in more than one file: {', '.join(map(str, sorted(blast)))}"


def symbols(library, *options):
    text = subprocess.run(["nm", "--defined-only", *options, library], capture_output=True, text=True, check=True)
    return sorted({line.split()[2] for line in text.stdout.splitlines() if len(line.split()) == 3})


def global_names_have_our_prefix(static_library):
    for name in symbols(static_library, "--extern-only"):
        if not name.startswith(("ocldnn_", "od_", "__asan", "__odr_asan", "__tsan", "__ubsan")):
            yield name


def abi(root, shared_library):
    """The exported functions, the sizes of the public structs and the values of the public constants, as text."""
    headers = sorted((root / "include" / "ocldnn").glob("*.h"))
    text = "\n".join(path.read_text() for path in headers)
    structs = sorted(set(re.findall(r"typedef struct (ocldnn_\w+) \{", text)))
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    constants = []
    for body in re.findall(r"enum\s+\w*\s*\{(.*?)\}", plain, re.S):
        constants += re.findall(r"\b(OCLDNN_\w+)", body)
    program = "#include <ocldnn/ocldnn.h>\n#include <stdio.h>\nint main(void) {\n"
    program += "".join(f'printf("size {name} %zu\\n", sizeof({name}));\n' for name in structs)
    program += "".join(f'printf("constant {name} %d\\n", (int){name});\n' for name in sorted(constants))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "abi.c")
        source.write_text(program + "return 0; }\n")
        subprocess.run(["cc", "-std=c11", f"-I{root}/include", source, "-o", f"{folder}/abi"], check=True)
        lines = subprocess.run([f"{folder}/abi"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [f"function {name}" for name in symbols(shared_library, "--dynamic")] + lines


def the_abi_is_the_recorded_one(root, shared_library):
    recorded = [line for line in (root / "tests/laws/abi.txt").read_text().splitlines() if not line.startswith("#")]
    now = abi(root, shared_library)
    yield from (f"new: {line}" for line in now if line not in recorded)
    yield from (f"gone: {line}" for line in recorded if line not in now)


def declared_functions_are_exported(root, shared_library):
    text = "\n".join(path.read_text() for path in (root / "include" / "ocldnn").glob("*.h"))
    declared = {name for name in re.findall(r"OCLDNN_API [^;]*?\b(ocldnn_\w+)\(", text) if "##" not in name}
    for operator in re.findall(r"^OCLDNN_DECLARE_VERBS\((\w+)\)", text, re.M):
        declared |= {f"ocldnn_{operator}_{verb}" for verb in ("run", "prepare", "workspace", "query")}
    exported = set(symbols(shared_library, "--dynamic"))
    declared.discard("ocldnn_")
    yield from (f"declared, not exported: {name}" for name in sorted(declared - exported))
    yield from (f"exported, not declared: {name}" for name in sorted(exported - declared))


# Where an operator must stand, besides the library: a folder's files, and what is looked for in them.
PLACES = [("lib/ops/operators.h", r"\bX\(NAME\)", "the list of operators"),
          ("tools/command/check*.c", r"\b(od_operator_|ocldnn_)NAME(_run)?\b", "ocldnn check"),
          ("tools/command/bench_cases.c", r"\bod_operator_NAME\b", "ocldnn bench"),
          ("tests/programs/*.c", r"\bod_operator_NAME\b", "the program list"),
          ("tests/ops/test_*.c", r"\bkit_run\(NAME,", "the tests against a reference"),
          ("tests/ops/test_*.c", r"\bkit_refuses\(NAME,", "the tests of what is refused"),
          ("tests/ops/test_*.c", r"\bkit_honours_events\(NAME,", "the tests of events"),
          ("README.md", r"^\|.*`NAME`", "the README's table of operators"),
          ("CHANGELOG.md", r"\bNAME\b", "the list of changes")]


def an_operator_stands_everywhere(root):
    headers = "\n".join(path.read_text() for path in (root / "include" / "ocldnn").glob("*.h"))
    for pattern, what, place in PLACES:
        text = "\n".join(path.read_text() for path in root.glob(pattern))
        for operator in re.findall(r"^OCLDNN_DECLARE_VERBS\((\w+)\)", headers, re.M):
            if not re.search(what.replace("NAME", operator), text, re.M):
                yield f"{operator} is not in {place} ({pattern})"


def every_row_of_the_bench_is_listed(root):
    listed = (root / "tools/command/bench_lists.c").read_text()
    for maker in re.findall(r"^void (bench_make_\w+)", (root / "tools/command/bench_cases.c").read_text(), re.M):
        if not re.search(rf"\b{maker}\b", listed):
            yield f"{maker} has no row in tools/command/bench_lists.c"


def every_source_is_built(root):
    """A test that nobody compiles passes. Names stand with or without their ending, in a folder's list or one above."""
    lists = {path.parent: path.read_text() for path in files(root) if path.name == "meson.build"}
    for path in files(root):
        text = "\n".join(lists.get(folder, "") for folder in path.parents)
        if path.suffix in (".c", ".cpp") and not re.search(rf"['/]{path.stem}({re.escape(path.suffix)})?'", text):
            yield f"{path.relative_to(root)} is in no meson.build"


def parameters(path):
    """What the `//!` lines of a kernel file say: name -> (low, high)."""
    found = {}
    for line in path.read_text().splitlines():
        if line.startswith("//!"):
            match = re.fullmatch(r"//! (\w+) (-?\d+)\.\.(-?\d+) \S.*", line)
            found[match[1] if match else line] = (int(match[2]), int(match[3])) if match else None
    return found


def kernel_files(root):
    for path in files(root / "cl"):
        if path.suffix == ".cl" and re.search(r"^__kernel\b", path.read_text(), re.M):
            yield path


def kernel_files_begin_with_their_parameters(root):
    for path in kernel_files(root):
        name, text, found = path.relative_to(root), path.read_text(), parameters(path)
        for parameter, limits in found.items():
            if limits is None:
                yield f"{name}: not `//! NAME LOW..HIGH meaning`: {parameter}"
            elif not re.search(rf"#ifndef {parameter}\n#define {parameter} ", text):
                yield f"{name}: {parameter} has no default"
        for parameter in re.findall(r"#ifndef (\w+)\n#define \1 \S", text):
            if parameter not in found:
                yield f"{name}: {parameter} has a default, but no //! line"
        if len(re.findall(r"^\s*__kernel\b", text, re.M)) > text.count("reqd_work_group_size"):
            yield f"{name}: a kernel without reqd_work_group_size"


def plans_pass_what_kernels_document(root, program_list):
    """Every program that the planners ask for passes exactly the documented names, each within its limits."""
    listed = subprocess.run([program_list], capture_output=True, text=True, check=True).stdout
    seen = set()
    for line in listed.splitlines():
        source, options, _, _, kernel, _ = line.split("\t")
        seen.add((source, kernel))
        documented = parameters(root / "cl" / source)
        passed = {name: int(value) for name, value in re.findall(r"-D\s*(\w+)=(-?\d+)", options)}
        for name in sorted(set(documented) ^ set(passed)):
            yield f"{source}: {name} is {'documented, not passed' if name in documented else 'passed, not documented'}"
        for name, value in passed.items():
            low, high = documented.get(name) or (value, value)
            if not low <= value <= high:
                yield f"{source}: {name}={value} is not in {low}..{high}"
    for path in kernel_files(root):
        for kernel in re.findall(r"^__kernel\b(?:[^{;]|\n)*?\b(\w+)\((?=\s*__global)", path.read_text(), re.M):
            if (str(path.relative_to(root / "cl")), kernel) not in seen:
                yield f"{path.relative_to(root)}: no plan of the case list asks for {kernel}"


# What the cache's folder may call beside tests/runtime/faults.h: nothing that can fail.
HARMLESS = re.compile(r"(__)?(mem|str|sn?printf|errno|stack_chk|tls_get)|_GLOBAL_OFFSET|(od_|fault_)|"
                      r"(clock|free|getenv|geteuid|getpid|qsort|time)$")


def the_cache_calls_the_system_through_the_layer_of_faults(disk_with_faults):
    undefined = subprocess.run(["nm", "--undefined-only", disk_with_faults], capture_output=True, text=True, check=True)
    for name in re.findall(r"^\s+U (\S+)$", undefined.stdout, re.M):
        if not HARMLESS.match(name):
            yield f"{name}: add it to tests/runtime/faults.h"


def every_file_names_its_licence(root):
    for path in files(root):
        name = str(path.relative_to(root))
        if not WITHOUT_SPDX.search(name) and b"SPDX-License-Identifier: Apache-2.0" not in path.read_bytes()[:400]:
            yield name


def no_file_names_this_machine(root):
    for path in files(root):
        try:
            lines = path.read_text().splitlines() if path.suffix != ".svg" else []
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            if MACHINE_PATH.search(line) and "XXXXXX" not in line:  # the name of a temporary file is no machine's
                yield f"{path.relative_to(root)}:{number}: {line.strip()[:100]}"


def main():
    if sys.argv[1] == "--write-abi":
        root, shared_library = pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
        head = ["# SPDX-License-Identifier: Apache-2.0", "# Made by tests/laws/laws.py --write-abi (64-bit)."]
        (root / "tests/laws/abi.txt").write_text("\n".join(head + abi(root, shared_library)) + "\n")
        return 0
    root, static_library, shared_library, program_list, faults = pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:]
    laws = [(floors_include_only_what_lies_below, (root,)), (opencl_is_called_in_the_runtime_only, (root,)),
            (global_names_have_our_prefix, (static_library,)),
            (declared_functions_are_exported, (root, shared_library)),
            (the_abi_is_the_recorded_one, (root, shared_library)),
            (kernel_files_begin_with_their_parameters, (root,)),
            (plans_pass_what_kernels_document, (root, program_list)),
            (the_cache_calls_the_system_through_the_layer_of_faults, (faults,)),
            (an_operator_stands_everywhere, (root,)), (every_row_of_the_bench_is_listed, (root,)),
            (every_source_is_built, (root,)), (every_file_names_its_licence, (root,)), (no_file_names_this_machine, (root,))]
    broken = 0
    for law, given in laws:
        breaches = sorted(set(law(*given)))
        print(f"{'broken' if breaches else 'kept'}: {law.__name__.replace('_', ' ')}")
        print("".join(f"    {breach}\n" for breach in breaches), end="")
        broken += bool(breaches)
    print(f"{len(laws) - broken} passed, {broken} failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
