# SPDX-License-Identifier: BSD-2-Clause
"""Profiles that were recorded once (tests/data/profiles): what is done with one does not depend on what
else this machine does now."""

import os
import shutil

from command import report
from golden import DATA
from measure import Measurement


class Recorded(Measurement):
    """A measurement as take() returns it, of which only the profile is left: a copy, at PATH."""

    def __init__(self, name, path="profil.pb.gz"):
        shutil.copy(os.path.join(DATA, "profiles", f"{name}.pb.gz"), path)
        self.path = path
        self.report = report(path)
