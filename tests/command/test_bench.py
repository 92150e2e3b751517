#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_bench.py OCLDNN RIGHT WRONG: the bench's files. Comparison and page from reports made by hand, then real ones'
form. RIGHT and WRONG stand in for OpenBLAS (openblas.c).

No time is asserted: what is compared here was invented here."""
import ctypes
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from html.parser import HTMLParser

OCLDNN, RIGHT, WRONG = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
HOSTILE = "<script>alert('a & \"b\"')</script>\x01"


def row(name, milliseconds, percent, spread=0.02, **more):
    ends = lambda value: [value * (1 - spread), value * (1 + spread)]
    made = {"name": name, "dtype": "F32", "shape": "8x8", "strategy": "native", "seconds": milliseconds / 1e3,
            "seconds_quartiles": ends(milliseconds / 1e3), "gflops": 5.0, "gbytes_per_second": 2.0,
            "operations_per_byte": 2.5, "percent_of_limit": percent, "percent_quartiles": ends(percent),
            "limit": "fma", "host_microseconds": 0.4, "peers": {}, "peers_quartiles": {}}
    return {**made, **more}


def report(*rows):
    return {"version": "0.1.0", "device": {"name": "a device", "platform": "a platform"},
            "limits": {"fma_gflops": 100.0, "read_gbytes_per_second": 10.0, "copy_gbytes_per_second": 8.0},
            "rows": list(rows)}


def there(*names):
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, content=None):
        path = pathlib.Path(self.folder.name, name)
        if content is not None:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def run_bench(self, *arguments, status=0):
        done = subprocess.run([OCLDNN, "bench", *arguments], capture_output=True, text=True, errors="replace")
        self.assertEqual(done.returncode, status, f"{arguments}:\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def compare(self, old, new, *more):
        text = self.run_bench("--load", self.file("new", new), "--compare", self.file("old", old), *more)
        self.assertIn("compared with", text)
        return text[text.index("compared with"):].splitlines()

    def verdict(self, old, new):
        return re.split(r"  +", self.compare(report(old), report(new))[2])[-1].strip()

    # ---- comparison

    def test_what_is_beyond_the_spread(self):
        self.assertEqual(self.verdict(row("a", 10, 40), row("a", 5, 80)), "faster")
        self.assertEqual(self.verdict(row("a", 5, 80), row("a", 10, 40)), "slower")

    def test_what_is_within_it(self):
        for new in row("a", 10.1, 41), row("a", 5, 80, spread=1.5), row("a", 10, 90):
            last = self.compare(report(row("a", 10, 40)), report(new))[-1]
            self.assertRegex(last, "^0 faster, 0 slower, 0 .* 1 within")

    def test_a_slower_machine_is_no_slower_operator(self):
        self.assertEqual(self.verdict(row("a", 5, 80), row("a", 10, 80)), "with the machine")
        self.assertEqual(self.verdict(row("a", 5, 80), row("a", 10, 90)), "with the machine")

    def test_files_without_quartiles(self):
        bare = lambda *numbers: {k: v for k, v in row("a", *numbers).items() if not k.endswith("_quartiles")}
        self.assertEqual(self.verdict(bare(10, 40), bare(5, 80)), "faster")
        self.assertRegex(self.compare(report(bare(10, 40)), report(bare(10.4, 41)))[-1], "1 within the spread")
        old = bare(10, 40)
        del old["percent_of_limit"]
        self.assertEqual(self.verdict(old, bare(5, 80)), "faster")

    def test_rows_of_one_side(self):
        refused = {"name": "r", "dtype": "F32", "shape": "8x8", "refused": "not here"}
        lines = self.compare(report(row("a", 1, 50), row("gone", 1, 50), refused),
                             report(row("a", 1, 50, strategy="other"), row("new", 1, 50), refused))
        verdicts = [re.split(r"  +", line)[-1] for line in lines[2:-1]]
        self.assertEqual(verdicts, ["new", "new", "gone", "gone"])
        self.assertIn("2 only here, 2 only in", lines[-1])

    def test_the_filter_is_for_both_sides(self):
        a, b, c = row("a", 1, 50), row("b", 1, 50), row("c", 1, 50)
        lines = self.compare(report(a, b), report(a, c), "--filter", "a")
        self.assertEqual(len(lines), 4)
        self.assertRegex(lines[-1], "1 within the spread; 0 only here, 0 only in")

    def test_no_rows(self):
        self.assertIn("0 only here, 1 only in", self.compare(report(row("a", 1, 50)), report())[-1])
        self.assertIn("0 only here, 0 only in", self.compare(report(), report())[-1])

    def test_files_that_are_none(self):
        whole = json.dumps(report(row("a", 1, 50)))
        good = self.file("good", whole)
        for content, words in [("", "the file is empty"), (whole[:-20], "cut short"), (whole + "x", "not JSON"),
                               ("[1, 2]", "no array `rows`"), ("3", "no array `rows`"),
                               ('{"rows": {}}', "no array `rows`"),
                               ('{"rows": [3]}', "a row has no name"), ('{"rows": [{"name": 3}]}', "a row has no name"),
                               ("[" * 100000, "not JSON")]:
            bad = self.file("bad", content)
            self.assertIn(words, self.run_bench("--load", good, "--compare", bad, status=1))
            self.assertIn(words, self.run_bench("--load", bad, status=1))
        self.assertIn("No such file", self.run_bench("--compare", self.file("nowhere"), status=1))

    def test_members_of_wrong_types(self):
        odd = {"name": "a", "dtype": "F32", "shape": "8x8", "strategy": 3, "seconds": 1, "seconds_quartiles": "x",
               "gflops": [], "peers": {"x": "y", "z": 1, "w": {}}, "peers_quartiles": {"z": [1]}, "limit": {}}
        page = self.file("page")
        self.run_bench("--load", self.file("new", {"rows": [odd], "device": 3, "limits": []}), "--html", page)
        xml.etree.ElementTree.parse(page)

    # ---- the page

    def page(self, content, *more):
        page = self.file("page.html")
        self.run_bench("--load", self.file("new", content), "--html", page, *more)
        text = pathlib.Path(page).read_text()
        HTMLParser().feed(text)
        return text, xml.etree.ElementTree.fromstring(text)

    def test_the_page_stands_alone(self):
        rows = [row(f"row{i}", 1 + i, 50, operations_per_byte=2.0 ** i, peers={"peer": 1.2},
                    peers_quartiles={"peer": [1, 2]}) for i in range(12)]
        text, tree = self.page(report(*rows), "--compare", self.file("old", report(row("row1", 9, 9))))
        self.assertNotRegex(text, r"(src|href)=|url\(|@import|<script")
        self.assertIn("prefers-color-scheme: dark", text)
        self.assertIn('name="viewport"', text)
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(tree.findall(f".//{space}circle")), 12)
        labels = [label.text for label in tree.iter(f"{space}text") if label.get("class") == "name"]
        self.assertEqual(sorted(map(int, labels)), list(range(1, 13)))
        for table in tree.iter("{http://www.w3.org/1999/xhtml}table"):
            widths = {sum(int(cell.get("colspan", 1)) for cell in line) for line in table}
            self.assertEqual(len(widths), 1)
        titles = [cell.text for cell in tree.iter("{http://www.w3.org/1999/xhtml}th")]
        first = tree.find(".//{http://www.w3.org/1999/xhtml}table")[2]
        self.assertEqual(first[titles.index("name")].text, "row1")
        for heading in ("limits", "Rooflines", "Parts of the limit", "Beside other libraries", "What has changed",
                        "Every row"):
            self.assertIn(heading, text)

    def test_names_are_text(self):
        bad = row(HOSTILE, 1, 50, shape=HOSTILE, strategy=HOSTILE, limit=HOSTILE, peers={HOSTILE: 1.0})
        content = report(bad, {"name": HOSTILE, "dtype": HOSTILE, "shape": HOSTILE, "refused": HOSTILE})
        content["device"]["name"] = HOSTILE
        content["version"] = HOSTILE
        text, _ = self.page(content, "--compare", self.file("old", content))
        self.assertNotIn("<script", text)
        self.assertIn("&#60;script&#62;alert(&#39;a &#38; &#34;b&#34;&#39;)&#60;/script&#62;?", text)

    def test_bytes_that_are_no_text(self):
        new = pathlib.Path(self.file("new"))
        odd = b"\xc3\xa9\xff\xc0\x80\xed\xa0\x80"
        new.write_bytes(json.dumps(report(row("NAME", 1, 50))).encode().replace(b"NAME", odd))
        self.run_bench("--load", str(new), "--html", self.file("page"))
        text = pathlib.Path(self.file("page")).read_text(encoding="utf-8")
        xml.etree.ElementTree.fromstring(text)
        self.assertIn("\u00e9??????", text)

    def test_numbers_that_go_nowhere(self):
        for value in 0, -1, 1e300, 1e-300, None, "x":
            odd = row("a", 1, 50, percent_of_limit=value, gbytes_per_second=value, operations_per_byte=value,
                      peers={"p": value}, peers_quartiles={"p": [value, value]}, percent_quartiles=[value, value])
            content = report(odd, row("b", 1, 50))
            content["limits"] = dict.fromkeys(content["limits"], value)
            text, _ = self.page(content)
            self.assertNotRegex(text, r"\b(nan|inf)\b")

    def test_many_points_in_one_place(self):
        _, tree = self.page(report(*[row(f"r{i}", 1, 50) for i in range(150)]))
        self.assertEqual(len(tree.findall(".//{http://www.w3.org/2000/svg}circle")), 150)

    def test_a_page_that_cannot_be_written(self):
        new = self.file("new", report(row("a", 1, 50)))
        self.assertIn("No such file", self.run_bench("--load", new, "--html", "/nowhere/at/all", status=1))
        self.assertIn("No such file", self.run_bench("--json", "/nowhere/at/all", status=1))  # before it measures

    # ---- a real report

    def test_what_a_run_writes(self):
        info = subprocess.run([OCLDNN, "info"], capture_output=True, text=True)
        if info.returncode != 0:
            self.skipTest("no OpenCL device")
        written = self.file("rows")
        text = self.run_bench("--quick", "--strategies", "--filter", "mean*/F32/*", "--json", written,
                              "--html", self.file("page"))
        self.assertNotIn("\r", text)  # progress is for terminals
        found = json.loads(pathlib.Path(written).read_text())
        for name in ("fma_gflops", "f16_to_f32_gvalues_per_second", "read_gbytes_per_second", "write_gbytes_per_second",
                     "copy_gbytes_per_second", "launch_microseconds", "launch_and_wait_microseconds"):
            self.assertGreater(found["limits"][name], 0, name)
        if re.search("^ *AMX +yes$", info.stdout, re.M):
            self.assertGreater(found["limits"]["matrix_bf16_gflops"], 0)
        for name in "name", "vendor", "driver", "platform", "family":
            self.assertIsInstance(found["device"][name], str)
        self.assertEqual([one["name"] for one in found["rows"]], ["mean_pool"])
        for one in found["rows"]:
            self.assertTrue(all(isinstance(one[name], str) for name in ("name", "dtype", "shape", "strategy", "limit")))
            self.assertTrue(all(one[name] >= 0 and math.isfinite(one[name]) for name in
                                ("seconds", "gflops", "gbytes_per_second", "operations_per_byte", "percent_of_limit")))
            self.assertTrue(one["host_microseconds"] is None or math.isfinite(one["host_microseconds"]))
            self.assertEqual(one["peers"], {})
            low, high = one["seconds_quartiles"]
            self.assertTrue(low <= one["seconds"] <= high)
        xml.etree.ElementTree.parse(self.file("page"))

    # ---- peers

    def run_peers(self, *arguments):
        if subprocess.run([OCLDNN, "info"], capture_output=True).returncode != 0:
            self.skipTest("no OpenCL device")
        if os.environ.get("OCLDNN_TEST_SMALL") == "1":
            # Large problems whatever is asked, on devices that take minutes over them; and the leak checker falls over
            # code that oneDNN makes as it runs.
            self.skipTest("OCLDNN_TEST_SMALL: peers are measured at full size")
        written = self.file("peers")
        text = self.run_bench("--quick", "--peers", *arguments, "--json", written)
        rows = json.loads(pathlib.Path(written).read_text())["rows"]
        for one in rows:
            self.assertEqual(one["peers"].keys(), one["peers_quartiles"].keys())
            for name, ratio in one["peers"].items():
                low, high = one["peers_quartiles"][name]
                self.assertTrue(0 < low <= ratio <= high and math.isfinite(high), (one["name"], name))
                self.assertIn(f"{name} {ratio:.2f}x", text)
        return rows, text

    def with_openblas(self, library):
        os.symlink(library, self.file("libopenblas.so.0"))
        before = os.environ.get("LD_LIBRARY_PATH", "")
        os.environ["LD_LIBRARY_PATH"] = self.folder.name + (":" + before if before else "")
        self.addCleanup(os.environ.__setitem__, "LD_LIBRARY_PATH", before)
        rows, text = self.run_peers("--filter", "linear/F32/*")
        return rows[0]["peers"], text

    def test_a_peer(self):
        peers, _ = self.with_openblas(RIGHT)
        self.assertIn("OpenBLAS", peers)

    def test_a_peer_that_computes_something_else(self):
        peers, text = self.with_openblas(WRONG)
        self.assertNotIn("OpenBLAS", peers)
        self.assertRegex(text, r"peers: OpenBLAS has .* where we have .* at linear F32 1x4096x4096")

    def onednn(self, name, pattern, *has):
        """oneDNN is beside these rows and no others (but rms_norm, which depends on its version)."""
        rows, text = self.run_peers("--filter", pattern)
        found = there("libdnnl.so.3", "libdnnl.so.2")
        for one in rows:
            if one["name"] != "rms_norm":
                self.assertEqual(set(one["peers"]) - {"OpenBLAS", "CLBlast"},
                                 {name} if found and one["name"] in has else set(), one["name"])
        self.assertLessEqual(set(has), {one["name"] for one in rows})
        self.assertEqual(text.count("peers: no oneDNN on this machine (package libdnnl2)"), 0 if found else 1)

    def test_onednn_on_rows(self):
        self.onednn("oneDNN", "*/F32/[48]*6", "layer_norm", "softmax", "log_softmax", "gelu", "add", "matmul",
                    "linear_packed")

    def test_onednn_of_three_primitives(self):
        self.onednn("oneDNN (3 primitives)", "attention_[pcd]*/F32/*", "attention_causal", "attention_packed",
                    "attention_decode")

    def test_rows_that_do_not_exist(self):
        if subprocess.run([OCLDNN, "info"], capture_output=True).returncode == 0:
            self.assertIn("nothing was measured", self.run_bench("-q", "-f", "no such row", status=1))

    def test_command_lines(self):
        self.assertIn("basic, models or all", self.run_bench("--set", "none", status=64))
        self.assertIn("vector or tiled", self.run_bench("--family", "none", status=64))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        unittest.main()
