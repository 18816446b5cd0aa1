"""Programs that only compute give way to user interfaces, which must answer in time."""

import contextlib
import os
from pathlib import Path

from pool import Kind

# Nice level: gives such a process about a tenth of the processor time of a normal one.
NICE = 10
# Nice level by kind, 0 for the others. What follows the build gets a third of the build's share.
PRIORITY = {Kind.COMPUTING: NICE, Kind.FOLLOWING: NICE + 5}


def gives_way(group: int, nice: int = NICE):
    """Lowers the priority of a process group with its own session, if the system allows it."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PGRP, group, max(nice, os.getpriority(os.PRIO_PROCESS, 0)))
    # Linux may share processors among sessions first, whatever the priorities within each.
    with contextlib.suppress(OSError):
        Path(f"/proc/{group}/autogroup").write_text(str(nice))
