# SPDX-License-Identifier: BSD-2-Clause
"""What other projects test of -pg passes: the C library's own tests of its runtime and the compiler's
of the code it makes for it, out of the sources that the distribution keeps of both."""

import glob
import lzma
import os
import re
import subprocess
import tarfile

from gmon import flat, gprof
from house import Skip

GCC = ("gcc.dg/nest.c", "gcc.dg/aru-2.c", "gcc.dg/pr32450.c", "gcc.dg/nested-func-4.c",
       "gcc.dg/pr43643.c", "gcc.dg/20021014-1.c", "g++.old-deja/g++.law/profile1.C")


def unpack(house, archive, package, folder, names):
    """NAMES in FOLDER of the sources in ARCHIVE, side by side in the scratch folder."""
    found = glob.glob(archive)
    if not found:
        raise Skip(f"no {archive}: install {package}")
    wanted = {os.path.join(folder, name) for name in names}
    with lzma.open(found[0]) as packed, tarfile.open(fileobj=packed, mode="r|") as files:
        for member in files:
            path = member.name.partition("/")[2]
            if path in wanted:
                with open(house.path(os.path.basename(path)), "wb") as out:
                    out.write(files.extractfile(member).read())
                wanted.remove(path)
            if not wanted:
                return
    raise AssertionError(f"not in {found[0]}: {wanted}")


def ways(house):
    """(whether it is preloaded, whether the program is static, options) of each way to have the library."""
    start = f"{house.build}/gcrt0.o"
    return ((True, False, ("-no-pie",)), (True, False, ("-pie", "-fPIE")),
            (False, False, house.link()), (False, True, ("-static", start)),
            (False, True, ("-static-pie", "-fPIE", start)))


def judge(house, script, program, data):
    """The C library's own judgement of what gprof says."""
    done = subprocess.run(["sh", house.path(script), "gprof", program, *data], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "PASS", (program, done.stdout)


def glibc(house):
    """tst-gmon in all its kinds; tst-mcleanup, which cleans up twice; and the program that overflows
    glibc's table of calls, which has to overflow ours never."""
    scripts = "tst-gmon-gprof.sh", "tst-gmon-static-gprof.sh"
    programs = "tst-gmon.c", "tst-mcleanup.c", "tst-mcount-overflow.c"
    unpack(house, "/usr/src/glibc/glibc-*.tar.xz", "glibc-source", "gmon", (*scripts, *programs))
    for preload, static, options in ways(house):
        for name in programs:
            program = house.compile(name, "-O2", "-fno-omit-frame-pointer", *options,
                                    source=house.path(name), output="program")
            house.run(program, preload=preload, GMON_OUT_PREFIX="out.data", GLIBC_TUNABLES=
                      "glibc.gmon.minarcs=100:glibc.gmon.maxarcs=50")
            assert not house.stderr, (name, options, house.stderr)
            data = glob.glob(house.path("out.data.*"))
            assert len(data) == 1, (name, options, data)
            if name == "tst-gmon.c":
                judge(house, scripts[static], program, data)
            elif name == "tst-mcount-overflow.c":
                calls = {name: row[1] for name, row in flat(program, data[0]).items()}
                assert calls["f3"] == 1 and calls["f2"] == 16000, calls
                assert {calls[f"f1_{i}"] for i in range(16)} == {17000}, calls


def gcc(house):
    """The programs of the compiler's test suite that run with -pg, by the options that they name,
    end as they are to, and gprof reads what they leave."""
    sources = "gcc-[0-9]*"
    unpack(house, f"/usr/src/{sources}/{sources}.tar.xz", "gcc-N-source", "gcc/testsuite", GCC)
    for name in map(os.path.basename, GCC):
        with open(house.path(name)) as source:
            asked = re.search(r'dg-options "([^"]*)" \}', source.read()).group(1).split()
        compiler = "c++" if name.endswith(".C") else "cc"
        for preload, _, options in ways(house):
            program = house.compile(name, *asked, *options, source=house.path(name),
                                    output="program", compiler=compiler)
            house.run(program, preload=preload)
            done = gprof(program, house.path("gmon.out"))
            assert done, (name, options)
