# SPDX-License-Identifier: BSD-2-Clause
"""The first process of an emulated machine: mounts what the cases need, runs them, switches off."""

import ctypes
import os
import subprocess
import sys

POWER_OFF = 0x4321fedc  # reboot(2): LINUX_REBOOT_CMD_POWER_OFF

MOUNTS = (("proc", "/proc"), ("sysfs", "/sys"), ("tracefs", "/sys/kernel/tracing"), ("devtmpfs", "/dev"), ("tmpfs", "/tmp"),
          ("tmpfs", "/dev/shm"), ("cgroup2", "/sys/fs/cgroup"))


def mount(libc, kind, where):
    os.makedirs(where, exist_ok=True)
    if libc.mount(kind.encode(), where.encode(), kind.encode(), 0, None):
        print(f"mount {where}: {os.strerror(ctypes.get_errno())}")


def main(tests, build, path):
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        for kind, where in MOUNTS:
            mount(libc, kind, where)
        os.chmod("/tmp", 0o1777)
        environment = {"PATH": path, "HOME": "/", "PYTHONDONTWRITEBYTECODE": "1", "CI": "true",
                       "PROFIL": f"{build}/profil", "TARGETS": f"{build}/tests/targets"}
        done = subprocess.run([sys.executable, f"{tests}/cli/run.py",
                               f"{tests}/kernels/test_kernel.py"], cwd="/tmp", env=environment)
        if done.returncode == 0:
            print("all cases passed", flush=True)
    finally:
        libc.reboot(POWER_OFF)
