"""Programs that only compute give way to user interfaces, which must answer in time."""

import contextlib
import os
from pathlib import Path

# Steps of Unix's scale of 40: a program that gives way has about a tenth of the share of one that does not.
NICE = 10


def gives_way(group: int):
    """Lowers the priority of a group of processes, which is a session of its own. Where the system does not let it, all
    stay alike."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PGRP, group, min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICE))
    # Linux may share processors among sessions first, whatever the priorities within each.
    with contextlib.suppress(OSError):
        Path(f"/proc/{group}/autogroup").write_text(str(NICE))
