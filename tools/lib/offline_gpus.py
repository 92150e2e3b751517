# SPDX-License-Identifier: Apache-2.0
"""The GPUs that kernels are compiled for, and the figures by which code for them is judged.

fma: F32 multiply-adds in a clock of one compute unit, lanes taken together. slm: bytes of local memory in a clock of
one compute unit. tflops, gbs: a typical card's, for the balance of arithmetic and memory. None of them is measured
here; they say what bounds a loop, not how fast it is.
"""
from typing import NamedTuple


class Gpu(NamedTuple):
    maker: str
    card: str
    fma: int
    slm: int
    tflops: float
    gbs: int
    threads: int        # hardware threads (waves, warps) that a scheduler holds at most
    schedulers: int     # in what shares a local memory
    local: int          # bytes of local memory that groups at work share


GPUS = {
    "gfx906": Gpu("AMD", "Radeon VII", 64, 128, 13.4, 1024, 10, 4, 64 << 10),
    "gfx90a": Gpu("AMD", "MI210", 128, 128, 45.3, 1600, 8, 4, 64 << 10),
    "gfx942": Gpu("AMD", "MI300X", 128, 128, 163, 5300, 8, 4, 64 << 10),
    "gfx1030": Gpu("AMD", "RX 6800", 64, 128, 16, 512, 16, 2, 64 << 10),
    "gfx1100": Gpu("AMD", "RX 7900 XTX", 128, 128, 61, 960, 16, 2, 64 << 10),
    "gfx1151": Gpu("AMD", "Strix Halo", 128, 128, 30, 256, 16, 2, 64 << 10),
    "gfx1201": Gpu("AMD", "RX 9070", 128, 128, 36, 640, 16, 2, 64 << 10),
    "tgllp": Gpu("Intel", "Iris Xe 96 EU", 128, 128, 2.1, 60, 7, 16, 128 << 10),
    "dg2": Gpu("Intel", "Arc A770", 128, 128, 19.7, 560, 8, 16, 128 << 10),
    "pvc": Gpu("Intel", "Max 1550", 128, 128, 52, 3277, 8, 8, 128 << 10),
    "sm_75": Gpu("NVIDIA", "T4", 64, 128, 8.1, 320, 8, 4, 64 << 10),
    "sm_80": Gpu("NVIDIA", "A100", 64, 128, 19.5, 1555, 16, 4, 164 << 10),
    "sm_90": Gpu("NVIDIA", "H100", 128, 128, 67, 3350, 16, 4, 228 << 10),
    "sm_120": Gpu("NVIDIA", "RTX 5090", 128, 128, 105, 1792, 12, 4, 100 << 10),
}
MAKERS = ("AMD", "Intel", "NVIDIA")
