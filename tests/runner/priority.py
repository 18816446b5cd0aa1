"""Programs that only compute give way to user interfaces, which must answer in time."""

import contextlib
import os
from pathlib import Path

# Of Unix's -20 to 19, at least: a program that gives way has about a tenth of the share of one that does not.
NICE = 10


def gives_way(group: int):
    """Lowers the priority of a group of processes, which is a session of its own. Where the system does not let it, all
    stay alike."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PGRP, group, max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))
    # Linux may share processors among sessions first, whatever the priorities within each.
    with contextlib.suppress(OSError):
        Path(f"/proc/{group}/autogroup").write_text(str(NICE))
