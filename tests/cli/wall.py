# SPDX-License-Identifier: BSD-2-Clause
"""The account of all time in a profile, read from its file without profil."""

import gzip
from collections import defaultdict

from test_stacks import fields, numbers

SECOND = 10**9


class Amount:
    """So much of TYPE: STACK are names, the innermost first; LABELS by key."""

    def __init__(self, kind, amount, stack, labels):
        self.type = kind
        self.amount = amount
        self.stack = stack
        self.labels = labels


class Wall:
    """What a profile says of all time; sums are of nanoseconds."""

    def __init__(self, path):
        with gzip.open(path) as file:
            every = defaultdict(list)
            for key, value in fields(file.read()):
                every[key].append(value)
        self.texts = [text.decode() for text in every[6]]
        self.facts = dict(self.texts[text].split(": ", 1) for comment in every[13] for text in numbers(comment))
        types = [self.texts[dict(fields(kind)).get(1, 0)] for kind in every[1]]
        functions = {(one := dict(fields(function)))[1]: self.texts[one.get(2, 0)] for function in every[5]}
        places = {}
        for location in every[4]:
            parts = list(fields(location))
            lines = [dict(fields(line)).get(1) for key, line in parts if key == 4]
            places[dict(parts)[1]] = functions.get(lines[-1], "") if lines else ""
        self.amounts = []
        for sample in every[2]:
            self.take(list(fields(sample)), types, places)

    def take(self, parts, types, places):
        stack = [places[place] for key, value in parts if key == 1 for place in numbers(value)]
        values = [value for key, packed in parts if key == 2 for value in numbers(packed)]
        labels = {}
        for label in (dict(fields(value)) for key, value in parts if key == 3):
            labels[self.texts[label[1]]] = self.texts[label[2]] if label.get(2) else label.get(3, 0)
        self.amounts += [Amount(kind, value, stack, labels) for kind, value in zip(types, values) if value]

    def fact(self, name):
        return int(self.facts.get(f"profil.wall.{name}", 0))

    def sum(self, kind, place=None, within=None, **labels):
        """Of KIND at PLACE, the name of a reason; in a call of WITHIN; with LABELS."""
        return sum(one.amount for one in self.amounts
                   if one.type == kind and place in (None, one.stack[0])
                   and (within is None or within in one.stack[1:])
                   and all(one.labels.get(key) == value for key, value in labels.items()))

    def by_place(self, kind):
        sums = defaultdict(int)
        for one in self.amounts:
            if one.type == kind:
                sums[one.stack[0]] += one.amount
        return dict(sums)


def show(path):
    """For a person who looks into one."""
    wall = Wall(path)
    for key, value in wall.facts.items():
        if key.startswith("profil.wall"):
            print(key, value)
    for kind in ("lifetime", "running", "runqueue", "blocked", "unaccounted", "still_blocked", "elapsed", "times_blocked", "times_queued"):
        print(kind, wall.sum(kind) / SECOND, {key: value / SECOND for key, value in wall.by_place(kind).items()})
    for one in sorted(wall.amounts, key=lambda one: -one.amount):
        if one.type in ("blocked", "runqueue") and one.amount > SECOND / 1000:
            print(one.type, one.amount / SECOND, one.labels, " < ".join(one.stack[:12]))


if __name__ == "__main__":
    import sys
    show(sys.argv[1])
