# SPDX-License-Identifier: Apache-2.0
"""Times the embed example beside its peers, by turns. Called by tools/bench_model."""
import argparse
import json
import statistics
import subprocess
import sys
import time

import numpy

import peers

TURN = 0.4   # seconds for which one of them runs before the next has its turn
PAUSE = 0.25  # before each turn: threads that spin while waiting for more work give up


class Ours:
    """The example in its worker mode: "SENTENCES LENGTH" in, seconds out."""

    def __init__(self, program, weights):
        self.process = subprocess.Popen([program, "--worker", "--model", weights], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline().startswith("ready"):
            sys.exit("bench_model: the embed example did not start")

    def seconds(self, shape):
        self.process.stdin.write("%d %d\n" % shape)
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(run, ids):
    begin = time.perf_counter()
    run(ids)
    return time.perf_counter() - begin


def turn(one, seconds):
    time.sleep(PAUSE)
    one()  # not counted: caches belong to whoever ran before
    end = time.perf_counter() + TURN
    while True:
        seconds.append(one())
        if time.perf_counter() > end:
            return


def check(found):
    """The others must compute the same thing, or the comparison is none."""
    first = next(iter(found.values()))
    for name, value in found.items():
        difference = float(numpy.abs(value - first).max())
        if not difference < 1e-4:
            sys.exit(f"bench_model: {name} gives other embeddings: {difference}")


def measure(ours, weights, shape, rounds):
    ids = numpy.random.default_rng(1).integers(1000, 30000, shape)
    others = peers.make_peers(weights, shape)
    check({name: numpy.array(run(ids)) for name, run in others.items()})
    runs = {"oclDNN": lambda: ours.seconds(shape)}
    runs.update({name: (lambda run=run: timed(run, ids)) for name, run in others.items()})
    seconds = {name: [] for name in runs}
    for _ in range(rounds):
        for name, one in runs.items():
            turn(one, seconds[name])
    return seconds


def report(shape, seconds):
    tokens = shape[0] * shape[1]
    speed = {name: tokens / statistics.median(list_) for name, list_ in seconds.items()}
    best = max(value for name, value in speed.items() if name != "oclDNN")
    row = {"shape": list(shape), "tokens_per_second": speed, "ratio_to_best": speed["oclDNN"] / best,
           "at_best": {name: tokens / min(list_) for name, list_ in seconds.items()}}
    print(f"{shape[0]:3d} x {shape[1]:3d}  " + "  ".join(f"{name} {value:,.0f}" for name, value in speed.items()) +
          f"   oclDNN is {row['ratio_to_best']:.2f} x the best", flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(prog="tools/bench_model")
    parser.add_argument("--weights", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--embed", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=6, help="turns that each has for a shape")
    parser.add_argument("--shape", action="append", help="SENTENCESxTOKENS; may be given again")
    parser.add_argument("--json", help="also write the figures to this file")
    options = parser.parse_args()
    shapes = [tuple(int(n) for n in shape.split("x")) for shape in options.shape or ["32x128", "8x64", "1x16"]]
    weights = peers.read_weights(options.weights + "/model.safetensors")
    ours = Ours(options.embed, options.weights)
    print("tokens per second, F32, medians:")
    rows = [report(shape, measure(ours, weights, shape, options.rounds)) for shape in shapes]
    ours.close()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
