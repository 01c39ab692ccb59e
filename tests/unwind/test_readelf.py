# SPDX-License-Identifier: BSD-2-Clause
"""Every row of the tables of libraries against readelf's reading of the same call frame information.

    test_readelf.py UNWIND-ROWS LIBRARY...
"""
import bisect
import os
import re
import subprocess
import sys

NAMES = {'rsp': 'sp', 'rbp': 'bp', 'rbx': 'bx', 'esp': 'sp', 'ebp': 'bp', 'ebx': 'bx'}
NUMBERS = ('rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp')


def find(library):
    """Where the library or the compiler is on this machine."""
    if library == 'cc1':
        return subprocess.check_output(['gcc', '-print-prog-name=cc1'], text=True).strip()
    path = subprocess.check_output(['gcc', '-print-file-name=' + library], text=True).strip()
    for folder in ('/lib64', '/lib/x86_64-linux-gnu', '/usr/lib/x86_64-linux-gnu'):
        if not os.path.isabs(path) and os.path.exists(os.path.join(folder, library)):
            path = os.path.join(folder, library)
    return os.path.realpath(path)


def segments(path):
    """What is executable: [(address, size, offset)]."""
    out = subprocess.check_output(['readelf', '-lW', path], text=True)
    return [(int(m[2], 16), int(m[3], 16), int(m[1], 16)) for m in re.finditer(
        r'LOAD +(\S+) (\S+) \S+ (\S+) \S+ +R?W? ?E', out)]


def offset_of(address, loads):
    """The file's offset of an address."""
    for start, size, offset in loads:
        if start <= address < start + size:
            return address - start + offset
    return None


def cfa(text):
    """readelf's CFA in the words of unwind-rows."""
    match = re.fullmatch(r'(\w+)([+-]\d+)', text)
    if not match:
        return text
    name = match[1]
    if name in NAMES:
        return NAMES[name] + match[2]
    return 'r%d%s' % (NUMBERS.index(name) if name in NUMBERS else int(name[1:]), match[2])


def rows_of_readelf(path, loads):
    """(offset, cfa, bx, bp, ra, sp) of every row."""
    # Its status is 1 where it has but warned.
    out = subprocess.run(['readelf', '--debug-dump=frames-interp', path], text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    columns = None
    for line in out.splitlines():
        if ' CIE ' in line:
            columns = None
        elif ' FDE ' in line:
            columns = []
        elif columns is not None and line.startswith('   LOC'):
            columns = line.split()
        elif columns and re.match(r'[0-9a-f]{8,16} ', line):
            fields = re.sub(r' \(\w+\)', '', line).split()
            row = dict(zip(columns, fields))
            offset = offset_of(int(fields[0], 16), loads)
            if offset is not None:
                yield (offset, cfa(row['CFA']), row.get('rbx', 'u'), row.get('rbp', 'u'), row['ra'],
                       row.get('rsp', 'u'))


def agree(theirs, ours):
    """Whether a row says what readelf's says; what no rule can say must be unknown: other expressions,
    and a stack pointer that is not the CFA, as longjmp's is."""
    cfa_, bx, bp, return_, stack = theirs
    if return_ == 'u':
        return ours == ['outermost']
    if ours == ['unknown']:
        return cfa_ == 'exp' or return_ in ('s', 'exp', 'vexp') or stack != 'u'
    if len(ours) != 4:
        return False
    plain = {'s': 'u', 'vexp': 'u'}
    return [cfa_, plain.get(bx, bx), plain.get(bp, bp), return_] == ours


def compare(program, library):
    """Compare one file's rows; the number that differ."""
    path = find(library)
    ours = [line.split() for line in subprocess.check_output([program, path], text=True).splitlines()]
    starts = [int(row[0], 16) for row in ours]
    loads = segments(path)
    count = wrong = unknown = 0
    for offset, *theirs in rows_of_readelf(path, loads):
        at = bisect.bisect_right(starts, offset) - 1
        count += 1
        row = ours[at][1:] if at >= 0 else ['nothing']
        unknown += row == ['unknown']
        if not agree(tuple(theirs), row):
            wrong += 1
            if wrong <= 10:
                print('# %s+0x%x: readelf has %s, the table %s' % (library, offset, theirs, row))
    print('# %s: %d rows, %d differ, %d are unknown here' % (library, count, wrong, unknown))
    # Expressions that are understood nowhere: some rows of hand-written assembly.
    assert count > 500 and unknown * 1000 <= count, (library, count, unknown)
    return wrong


def main():
    """Compare each library."""
    program, *libraries = sys.argv[1:]
    return 1 if sum([compare(program, library) for library in libraries]) else 0


sys.exit(main())
