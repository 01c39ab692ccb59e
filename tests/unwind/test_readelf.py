# SPDX-License-Identifier: BSD-2-Clause
"""Every row of the tables of libraries against readelf's reading of the same call frame information.

    test_readelf.py UNWIND-ROWS FILE...
"""
import bisect
import os
import re
import shutil
import subprocess
import sys

NAMES = {'rsp': 'sp', 'rbp': 'bp', 'rbx': 'bx', 'esp': 'sp', 'ebp': 'bp', 'ebx': 'bx'}
# DWARF's numbers of the registers that have names.
NUMBERS = ('rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp')
NUMBERS_32 = ('eax', 'ecx', 'edx', 'ebx', 'esp', 'ebp', 'esi', 'edi')


def find(name):
    """Where the library or the program is on this machine; of a library 32/NAME the 32-bit one."""
    if name == 'cc1':
        return subprocess.check_output(['gcc', '-print-prog-name=cc1'], text=True).strip()
    if '.so' not in name:
        return os.path.realpath(shutil.which(name, path='/usr/bin') or name)
    is_narrow, library = name.startswith('32/'), name.removeprefix('32/')
    path = subprocess.check_output(['gcc', '-m32' if is_narrow else '-m64',
                                    '-print-file-name=' + library], text=True).strip()
    for folder in ('/lib32',) if is_narrow else ('/lib64', '/lib/x86_64-linux-gnu',
                                                 '/usr/lib/x86_64-linux-gnu'):
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
    for names in NUMBERS, NUMBERS_32:
        if name in names:
            return 'r%d%s' % (names.index(name), match[2])
    return 'r%d%s' % (int(name[1:]), match[2])


def register(row, name):
    """Where readelf's row has the register's value."""
    return row.get('r' + name, row.get('e' + name, 'u'))


def entries_of_readelf(path):
    """(CIE, start, end, rows) of every entry; a CIE has no start."""
    # Its status is 1 where it has but warned.
    out = subprocess.run(['readelf', '--debug-dump=frames-interp', path], text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    entry, columns = None, []
    for line in out.splitlines():
        header = re.match(r'(\w+) .* (?:CIE|FDE cie=(\w+) pc=(\w+)\.\.(\w+))', line)
        if header:
            if entry:
                yield entry
            entry = (header[2] or header[1], header[3] and int(header[3], 16),
                     header[4] and int(header[4], 16), [])
        elif line.startswith('   LOC'):
            columns = line.split()
        elif re.match(r'[0-9a-f]{8,16} ', line) and not line.endswith('ZERO terminator'):
            entry[3].append(dict(zip(columns, re.sub(r' \(\w+\)', '', line).split())))
    yield entry


def rows_of_readelf(path, loads):
    """(offset, cfa, bx, bp, ra, sp) of every row."""
    initial = {}
    for common, start, end, rows in entries_of_readelf(path):
        if start is None:
            initial[common] = rows[-1] if rows else None
            continue
        # A function without rows of its own is as its CIE says, if that says anything.
        for row in rows or filter(None, [initial[common]]):
            address = int(row['LOC'], 16) if rows else start
            offset = offset_of(address, loads)
            # Some functions say what holds behind their ends.
            if offset is not None and address < end:
                yield (offset, cfa(row['CFA']), register(row, 'bx'), register(row, 'bp'),
                       row['ra'], register(row, 'sp'))


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
