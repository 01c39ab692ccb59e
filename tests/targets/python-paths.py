# SPDX-License-Identifier: BSD-2-Clause
"""Calls of Python whose paths are known (tests/cli/test_python.py): functions of a path are named
k_..., and one that ends in _end is busy for a while."""

import asyncio
import ctypes
import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import zlib

BUSY = 0.06


def spin():
    end = time.thread_time() + BUSY
    while time.thread_time() < end:
        for _ in range(500):
            pass


def ends(name):
    """A function of that name, which is busy."""
    space = {"spin": spin}
    exec(compile(f"def {name}():\n    spin()\n", __file__, "exec"), space)
    return space[name]


def k_down(depth):
    return k_down(depth - 1) if depth else k_down_end()


def k_even(depth):
    return k_odd(depth - 1) if depth else k_mutual_end()


def k_odd(depth):
    return k_even(depth - 1) if depth else k_mutual_end()


def k_generator():
    k_generator_end()
    yield 1
    k_second_end()


def k_outer_generator():
    yield from k_generator()


def k_generators():
    for _ in k_generator():
        pass
    list(k_outer_generator())


async def k_coroutine():
    await asyncio.sleep(0)
    await k_awaited()


async def k_awaited():
    await asyncio.sleep(0.001)
    k_awaited_end()


def k_asyncio():
    asyncio.run(k_coroutine())


def run_threads(target, count, meanwhile=int):
    threads = []
    for _ in range(count):
        threads.append(threading.Thread(target=target))
        threads[-1].start()
    meanwhile()
    for thread in threads:
        thread.join()


def k_thread():
    k_thread_end()


def k_threads():
    run_threads(k_thread, 3)


def k_packs():
    data = os.urandom(1 << 16)
    end = time.thread_time() + BUSY
    while time.thread_time() < end:
        zlib.compress(data)  # without the lock


def k_unlocked():
    run_threads(k_packs, 2, k_locked_end)


def k_key(value):
    k_key_end()
    return value


def k_sort():
    sorted([2, 1], key=k_key)


def k_compare(left, right):
    k_compare_end()
    return left[0] - right[0]


def k_ctypes():
    numbers = (ctypes.c_int * 2)(2, 1)
    pointer = ctypes.POINTER(ctypes.c_int)
    compare = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)
    ctypes.CDLL(None).qsort(numbers, 2, ctypes.sizeof(ctypes.c_int), compare(k_compare))


def k_reduced(left, right):
    k_reduced_end()
    return left + right


def k_reduces():
    functools.reduce(k_reduced, [1, 2])


def k_lambda():
    (lambda: k_lambda_end())()


def k_class():
    class Body:
        k_body_end()


class k_object:
    def __init__(self):
        k_init_end()

    @property
    def k_property(self):
        k_property_end()
        return 1

    def __del__(self):
        k_del_end()


def k_makes():
    return k_object().k_property


def k_unicode():
    k_größe()


def k_größe():
    k_漢字()


def k_漢字():
    k_𐍈()


def k_𐍈():
    k_unicode_end()


def k_exec():
    """Code that goes when it has run: the next one has its place."""
    for i in range(40):
        space = {"spin": spin}
        exec(compile(f"def k_made_{i:02}():\n    k_made_{i:02}_end()\n"
                     f"def k_made_{i:02}_end():\n    spin()\nk_made_{i:02}()\n",
                     f"<made {i:02}>", "exec"), space)


def k_handler(number, frame):
    k_handler_end()


def k_signal():
    signal.signal(signal.SIGUSR1, k_handler)
    os.kill(os.getpid(), signal.SIGUSR1)


def k_forked():
    k_forked_end()


def k_fork():
    child = os.fork()
    if not child:
        k_forked()
        os._exit(0)
    os.waitpid(child, 0)


def k_process():
    k_process_end()


def k_multiprocessing():
    process = multiprocessing.get_context("fork").Process(target=k_process)
    process.start()
    process.join()


def k_executed():
    k_executed_end()


def k_subprocess():
    subprocess.run([sys.executable, __file__, "executed"], check=True)


for path in ("down", "mutual", "generator", "second", "awaited", "thread", "locked", "key", "compare",
             "reduced", "lambda", "body", "init", "property", "del", "unicode", "handler", "forked",
             "process", "executed"):
    globals()[f"k_{path}_end"] = ends(f"k_{path}_end")


def k_main():
    k_down(20)
    k_even(9)
    for call in (k_generators, k_asyncio, k_threads, k_unlocked, k_sort, k_ctypes, k_reduces, k_lambda,
                 k_class, k_makes, k_unicode, k_exec, k_signal, k_fork, k_multiprocessing,
                 k_subprocess):
        call()


if sys.argv[1:] == ["executed"]:
    k_executed()
elif sys.argv[1:] == ["deep"]:
    sys.setrecursionlimit(3000)
    k_down(900)
else:
    k_main()
