# SPDX-License-Identifier: BSD-2-Clause
"""DOS for the cases: programs assembled for it, and one start of DOSBox with a list of commands.

DOSBox keeps a time of its own: a core of CYCLES instructions a millisecond, one cycle each whatever
the instruction is.  Nothing here depends on how fast the host runs that.
"""

import os
import shutil
import struct
import subprocess

from command import Skip, expect

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
PROFIL_COM = os.environ.get("PROFIL_COM", os.path.normpath(
    os.path.join(HERE, "..", "..", "build", "dos", "PROFIL.COM")))

PROHST_COM = os.path.join(os.path.dirname(PROFIL_COM), "PROHST.COM")

# Longer than any session by far: it ends a hang.
PATIENCE = 150

CYCLES = 6000

# For what takes many of them: as fast as the host can, which is less than this.
FAST = 400000

CONFIGURATION = """
[sdl]
output=surface
[dosbox]
memsize=2
[cpu]
core=normal
cputype=386_slow
cycles=fixed {cycles}
[mixer]
nosound=true
[midi]
mpu401=none
mididevice=none
[sblaster]
sbtype=none
[gus]
gus=false
[speaker]
pcspeaker=false
tandy=off
disney=false
[joystick]
joysticktype=none
[serial]
serial1=disabled
serial2=disabled
[autoexec]
mount c {drive}
{mounts}
c:
{commands}
exit
"""


def need_dosbox():
    for name in ("dosbox", "as86"):
        if not shutil.which(name):
            raise Skip(f"needs {name}")
    if not os.path.exists(PROFIL_COM):
        raise Skip("PROFIL.COM was not built: no bcc")


class Drive:
    """Drive C: of a case, with PROFIL.COM on it."""

    def __init__(self):
        need_dosbox()
        self.path = os.path.abspath("c")
        os.mkdir(self.path)
        shutil.copy(PROFIL_COM, self.path)

    def file(self, name):
        return os.path.join(self.path, *name.split("\\"))

    def make_folder(self, name):
        os.mkdir(self.file(name))
        return self.file(name)

    def remove(self):
        shutil.rmtree(self.path)

    def put(self, name, data):
        with open(self.file(name), "wb") as file:
            file.write(data)

    def get(self, name):
        with open(self.file(name), "rb") as file:
            return file.read()

    def has(self, name):
        return os.path.exists(self.file(name))

    def assemble(self, source, name=None):
        """Assemble programs/SOURCE.s, and what is common to all behind it, to the .COM NAME."""
        self.put((name or source.upper() + ".COM"), assemble(source))

    def run(self, *commands, cycles=CYCLES, mounts=""):
        """Run COMMANDS in one DOSBox, which ends by itself."""
        with open("dosbox.conf", "w") as file:
            file.write(CONFIGURATION.format(cycles=cycles, drive=self.path, mounts=mounts,
                                            commands="\n".join(commands)))
        environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy",
                       "HOME": os.getcwd()}
        subprocess.run(["dosbox", "-conf", "dosbox.conf", "-noconsole"], env=environment,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=PATIENCE, check=True)

    def report(self, name):
        return Report(self.get(name))


def assemble(source, origin=0x100):
    """The bytes of programs/SOURCE.s with programs/common.s behind it."""
    with open("program.s", "w") as program:
        program.write(f"\torg\t{origin}\n")
        for part in (source, "common"):
            with open(os.path.join(PROGRAMS, part + ".s")) as text:
                program.write(text.read())
    done = subprocess.run(["as86", "-0", "-O", "-w-", "-b", "program.bin", "program.s"],
                          capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"as86 {source}: {done.stdout}{done.stderr}")
    with open("program.bin", "rb") as binary:
        return binary.read()[origin:]


def exe(image, entry=(0, 0), stack=(0, 0), relocations=(), least=0, most=0xffff, pages=None):
    """An .EXE: IMAGE behind a header; ENTRY, STACK and each relocation are (segment, offset)."""
    header_size = -(-(28 + 4 * len(relocations)) // 16)
    length = header_size * 16 + len(image)
    header = struct.pack("<2s13H", b"MZ", length % 512, pages or -(-length // 512),
                         len(relocations), header_size, least, most, *stack, 0, entry[1], entry[0],
                         28, 0)
    table = b"".join(struct.pack("<2H", offset, segment) for segment, offset in relocations)
    return (header + table).ljust(header_size * 16, b"\0") + image


class Report:
    """A .PRF."""

    FIELDS = ("grain", "number", "size", "low", "high", "dos", "hit_io", "hit_dos", "hit_high")

    def __init__(self, data):
        expect(len(data) >= 18, f"a .PRF of {len(data)} bytes")
        for name, value in zip(self.FIELDS, struct.unpack_from("<9H", data)):
            setattr(self, name, value)
        expect(len(data) == 18 + 2 * self.number, f"{len(data)} bytes for {self.number} buckets")
        self.buckets = struct.unpack_from(f"<{self.number}H", data, 18)

    @property
    def hits(self):
        return sum(self.buckets)

    @property
    def total(self):
        return self.hits + self.hit_io + self.hit_dos + self.hit_high

    def between(self, first, past):
        """Hits from offset FIRST of the program's image up to PAST, both at a bucket's edge."""
        unit = self.size * 16
        expect(first % unit == 0 and past % unit == 0, f"{first}..{past} is not at a bucket's edge")
        return sum(self.buckets[first // unit:past // unit])
