# SPDX-License-Identifier: BSD-2-Clause
"""Call stacks: the tree of calls, and what of them stands in other views."""

from command import expect, profil
from recorded import Recorded


def case_no_stacks():
    """A profile without call stacks is refused with one line that names the option."""
    for form in ([], ["--json"], ["--reverse"]):
        done = profil("tree", *form, Recorded("split-kernel").path)
        expect(done.status == 125 and len(done.words.splitlines()) == 1 and "-g" in done.words and not done.text,
               f"{form}: {done.status}: {done.words}{done.text}")
