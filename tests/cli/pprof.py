# SPDX-License-Identifier: BSD-2-Clause
"""Profiles made by hand: pprof files with just the cells that a case is about."""

import os
import subprocess

from command import need_program

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "profile",
                     "profile.proto")

# Of the files in tests/data/annotate.
BUILD_ID = "00112233445566778899aabbccddeeff00112233"


class Profile:
    """Mappings are (path, build-id, start, limit, offset); cells (mapping, address, function, file,
    line, ticks)."""

    def __init__(self):
        self.strings = {"": 0}
        self.functions = {}
        self.text = []

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings))

    def add(self, kind, **fields):
        body = " ".join(f"{name}: {value}" for name, value in fields.items())
        self.text.append(f"{kind} {{ {body} }}")

    def function(self, name, file):
        key = (name, file)
        if key not in self.functions:
            self.functions[key] = len(self.functions) + 1
            self.add("function", id=self.functions[key], name=self.string(name),
                     system_name=self.string(name), filename=self.string(file))
        return self.functions[key]

    def write(self, path, mappings, cells):
        need_program("protoc")
        self.add("sample_type", type=self.string("samples"), unit=self.string("count"))
        for number, (file, build_id, start, limit, offset) in enumerate(mappings, 1):
            self.add("mapping", id=number, memory_start=start, memory_limit=limit,
                     file_offset=offset, filename=self.string(file),
                     build_id=self.string(build_id))
        for number, (mapping, address, name, file, line, ticks) in enumerate(cells, 1):
            lines = (f"line {{ function_id: {self.function(name, file)} line: {line} }}"
                     if name else "")
            self.text.append(f"location {{ id: {number} mapping_id: {mapping + 1} "
                             f"address: {address} {lines} }}")
            self.add("sample", location_id=number, value=ticks)
        for text in self.strings:
            self.text.append(f'string_table: "{text}"')
        done = subprocess.run(["protoc", "--encode=pprof.Profile",
                               f"--proto_path={os.path.dirname(PROTO)}", PROTO],
                              input="\n".join(self.text).encode(), stdout=subprocess.PIPE,
                              check=True)
        with open(path, "wb") as out:
            out.write(done.stdout)


def write(path, mappings, cells):
    Profile().write(path, mappings, cells)
