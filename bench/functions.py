# SPDX-License-Identifier: BSD-2-Clause
"""One key for a function, whatever a tool calls it: its object, and where its frame description
begins there.  The C library picks one of several forms of memcpy and its like by what the processor
has, which under valgrind is less: all forms are one.
"""

import bisect
import math
import os
import re
import subprocess

# Such as __memmove_avx512_unaligned_erms.
VARIANT = re.compile(r"^_*(mem\w+?|str\w+?|wcs\w+?|wmem\w+?)_(?:evex|avx|sse|ssse|erms)\w*$")
STUB = "@plt"
VERSION = re.compile(r"@.*$")
FRAME = re.compile(r"FDE cie=\S+ pc=([0-9a-f]+)\.\.([0-9a-f]+)")
SEGMENT = re.compile(r"^\s*LOAD\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+\S+\s+0x([0-9a-f]+)", re.M)
STUBS = re.compile(r"\] (\.plt\S*|\.iplt)\s+PROGBITS\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)")
BUILD_ID = re.compile(r"Build ID: (..)([0-9a-f]+)")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


class Object:
    """A program or library: where its functions begin, by their frame descriptions and names."""

    def __init__(self, path):
        self.frames = sorted((int(begin, 16), int(end, 16)) for begin, end
                             in FRAME.findall(output("readelf", "--debug-dump=frames", path)))
        self.segments = [[int(number, 16) for number in found]
                         for found in SEGMENT.findall(output("readelf", "-lW", path))]
        self.stubs = [(int(begin, 16), int(size, 16)) for _, begin, size
                      in STUBS.findall(output("readelf", "-SW", path))]
        self.symbols = {}
        self.add_symbols(output("nm", "-D", path))
        found = BUILD_ID.search(output("readelf", "-n", path))
        if found:
            self.add_symbols(output("nm", f"/usr/lib/debug/.build-id/{found[1]}/{found[2]}.debug"))

    def add_symbols(self, lines):
        for line in lines.splitlines():
            words = line.split()
            if len(words) == 3:
                self.symbols.setdefault(words[2].split("@")[0], set()).add(int(words[0], 16))

    def at_offset(self, offset):
        """The address of what stands at OFFSET of the file."""
        return next((address + offset - start for start, address, size in self.segments
                     if start <= offset < start + size), offset)

    def around(self, address):
        """Where the function begins that ADDRESS is in; what jumps to other objects is one."""
        if any(begin <= address < begin + size for begin, size in self.stubs):
            return STUB
        at = bisect.bisect_right(self.frames, (address, math.inf)) - 1
        if at >= 0 and self.frames[at][0] <= address < self.frames[at][1]:
            return self.frames[at][0]
        return address


class Functions:
    """One key for a function, whoever tells of it: (object, where it begins), or (object, name) for
    what has several forms, or no place that symbol tables agree on."""

    def __init__(self):
        self.objects = {}
        self.names = {}

    def object(self, path):
        if path not in self.objects:
            self.objects[path] = Object(path)
        return self.objects[path]

    def place(self, path, address, name):
        form = VARIANT.match(name)
        if form:
            return {"memmove": "memcpy", "mempcpy": "memcpy"}.get(form[1], form[1])
        if name.endswith(STUB):
            return STUB
        if address is not None:
            return self.object(path).around(address)
        plain = VERSION.sub("", name)
        places = self.object(path).symbols.get(plain, ())
        return min(places) if len(places) == 1 else plain

    def key(self, path, address=None, name=""):
        """Of what is at ADDRESS, or where that is None of what is called NAME."""
        key = os.path.basename(path), self.place(path, address, name)
        if name or key not in self.names:
            self.names[key] = name or (STUB if key[1] == STUB else f"{key[0]}+{key[1]:#x}")
        return key

    def told(self, keys):
        return ", ".join(sorted(self.names[key] for key in keys))
