# SPDX-License-Identifier: BSD-2-Clause
"""Where a case compiles and runs its programs."""

import os
import shutil
import signal
import subprocess

from stolen import stolen_since, stolen_so_far

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


class Skip(Exception):
    """Why a case cannot run here."""


OFF = "off limits"


def expect_ticks(within, what):
    """Ticks are WITHIN their limits, or again.sh has them counted once more."""
    if not within:
        raise AssertionError(f"{OFF}: {what}")


class House:
    def __init__(self, build, scratch):
        self.build, self.scratch = build, scratch
        self.library = f"{build}/libprofil-gmon.so"
        self.stolen_before = 0

    def stolen(self):
        """Seconds that the host has taken since the last program began, at most."""
        return stolen_since(self.stolen_before)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def need(self, tool, package):
        if not shutil.which(tool):
            raise Skip(f"no {tool}: install {package}")

    def compile(self, name, *options, output=None, compiler="cc", source=None):
        """PROGRAMS/NAME by the system's compiler with -pg; its path."""
        output = self.path(output or name.split(".")[0])
        done = subprocess.run([compiler, "-O1", "-pg", "-w", source or f"{PROGRAMS}/{name}",
                               *options, "-o", output], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return output

    def link(self):
        """Options that link the library in."""
        return (f"-L{self.build}", "-lprofil-gmon", f"-Wl,-rpath,{self.build}")

    def run(self, program, *arguments, preload=True, status=0, clean=True, under=(), **environment):
        """Run it in the scratch folder, where no older gmon file is; what it prints."""
        if clean:
            for name in self.files():
                os.unlink(self.path(name))
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith(("GMON_", "PROFIL_", "LD_"))}
        if preload:
            kept["LD_PRELOAD"] = self.library
        self.stolen_before = stolen_so_far()
        done = subprocess.run([*under, program, *map(str, arguments)], cwd=self.scratch,
                              env={**kept, **environment}, capture_output=True, text=True,
                              check=False)
        wanted = -status if isinstance(status, signal.Signals) else status
        assert done.returncode == wanted, done
        assert "cannot be preloaded" not in done.stderr, done
        self.stderr = done.stderr
        return done.stdout

    def files(self):
        """What gmon files there are, temporary ones among them."""
        return sorted(name for name in os.listdir(self.scratch)
                      if name.startswith((".gmon", "gmon.", "mon.out", "out.")))
