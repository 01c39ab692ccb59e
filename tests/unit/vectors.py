#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: vectors.py COUNT

Random arguments of scale_cell() and scale_distance() with their results, by exact rationals and by
nothing else that the C code does: one a line,
divide_first round_up two_is_all width scale distance its-cell cell its-distance.
"""
import random
import sys
from fractions import Fraction
from math import ceil, floor

MAX = 2**64 - 1
RULES = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0)]


def number(bits):
    """Of every magnitude; or beside a power of two, where the carries are."""
    if random.random() < 0.25:
        return min(max(2**random.randint(0, bits) + random.randint(-2, 2), 0), 2**bits - 1)
    return random.getrandbits(random.randint(1, bits))


def cell_of(rule, width, scale, distance):
    divide_first, round_up, two_is_all = rule
    if two_is_all and scale == 2:
        return 0
    if divide_first:
        return floor(Fraction(distance // width * scale, 65536))
    size = floor(Fraction(distance * scale, 65536))
    return ceil(Fraction(size, width)) if round_up else floor(Fraction(size, width))


def distance_of(rule, width, scale, cell):
    divide_first, round_up, two_is_all = rule
    if cell == 0:
        return 0
    if scale == 0 or two_is_all and scale == 2:
        return MAX
    if divide_first:
        return width * ceil(Fraction(cell * 65536, scale))
    size = (cell - 1) * width + 1 if round_up else cell * width
    return ceil(Fraction(size * 65536, scale))


random.seed(1996)
for _ in range(int(sys.argv[1])):
    rule, width = random.choice(RULES), random.choice([1, 2, 4, 8])
    scale = random.choice([number(32), number(17)])
    distance, cell = number(64), number(64)
    print(*rule, width, scale, distance, min(cell_of(rule, width, scale, distance), MAX),
          cell, min(distance_of(rule, width, scale, cell), MAX))
