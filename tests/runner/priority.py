"""Programs that only compute give way to user interfaces, which must answer in time."""

import contextlib
import os
from pathlib import Path

from pool import Kind

# Of Unix's -20 to 19, at least: a program that gives way has about a tenth of the share of one that does not.
NICE = 10
# By kind; others keep theirs. What follows the build takes what the build leaves, and a third of a share of it.
PRIORITY = {Kind.COMPUTING: NICE, Kind.FOLLOWING: NICE + 5}


def gives_way(group: int, nice: int = NICE):
    """Lowers the priority of a group of processes, which is a session of its own. Where the system does not let it, all
    stay alike."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PGRP, group, max(nice, os.getpriority(os.PRIO_PROCESS, 0)))
    # Linux may share processors among sessions first, whatever the priorities within each.
    with contextlib.suppress(OSError):
        Path(f"/proc/{group}/autogroup").write_text(str(nice))
