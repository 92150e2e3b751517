#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""install.py CHECKOUT: oclDNN as strangers get it.

A project builds with the checkout as a Meson subproject and installs it into a temporary prefix; then C and C++
programs are built there through pkg-config, against the shared and the static library, with warnings as errors, and
run. Every public header also compiles by itself.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
LANGUAGES = {"C": (["cc", "-std=c11"], "consumer.c"), "C++": (["c++", "-std=c++17"], "consumer.cpp")}
passed = 0


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"$ {' '.join(map(str, command))}\n{done.stdout}\n{passed} passed, 1 failed")
    return done.stdout.strip()


def ok(what):
    global passed
    passed += 1
    print(f"ok: {what}")


def subproject(checkout, here, folder):
    """Builds and runs the consumer with oclDNN as a subproject; installs it; returns the prefix."""
    shutil.copytree(here / "consumer", folder / "project")
    (folder / "project" / "subprojects").mkdir()
    (folder / "project" / "subprojects" / "ocldnn").symlink_to(checkout)
    run(["meson", "setup", folder / "build", folder / "project", f"--prefix={folder / 'prefix'}", "--libdir=lib",
         "-Ddefault_library=both", "-Docldnn:werror=true"])
    run(["meson", "compile", "-C", folder / "build"])
    run([folder / "build" / "consumer"])
    ok("as a Meson subproject")
    run(["meson", "install", "-C", folder / "build", "--no-rebuild"])
    return folder / "prefix"


def consumers(kind, prefix, here, folder):
    environment = dict(os.environ, PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig")
    pkg = lambda *what: run(["pkg-config", *what, "ocldnn"], env=environment).split()
    flags = pkg("--cflags")
    libraries = pkg("--libs", "--static") if kind == "static" else pkg("--libs")
    for language, (compiler, source) in LANGUAGES.items():
        program = folder / f"{source}.{kind}"
        run([*compiler, *WARNINGS, *flags, here / "consumer" / source, "-o", program, *libraries, "-lm"])
        if kind == "shared":
            needed = run(["readelf", "-d", program])
            if "libocldnn.so.0" not in needed:
                sys.exit(f"the shared consumer does not need libocldnn.so.0\n{passed} passed, 1 failed")
            environment["LD_LIBRARY_PATH"] = f"{prefix}/lib:" + environment.get("LD_LIBRARY_PATH", "")
        said = run([program], env=environment)
        ok(f"{language}, {kind}: {said}")


def headers(prefix):
    for header in sorted((prefix / "include" / "ocldnn").glob("*.h")):
        for language, option in (("c", "-std=c11"), ("c++", "-std=c++17")):
            run(["cc", "-x", language, option, *WARNINGS, "-Wconversion", "-fsyntax-only", f"-I{prefix}/include",
                 "-include", header, "/dev/null"])
    ok("every public header by itself, as C11 and C++17")


def main():
    checkout = pathlib.Path(sys.argv[1]).resolve()
    here = checkout / "tests" / "install"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = subproject(checkout, here, folder)
        headers(prefix)
        consumers("shared", prefix, here, folder)
        for library in (prefix / "lib").glob("libocldnn.so*"):
            library.unlink()
        consumers("static", prefix, here, folder)
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    main()
