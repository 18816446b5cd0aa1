"""What goes wrong in a run, with the codes of the program `lift` (`lift explain CODE` says more)."""

from __future__ import annotations


class LiftError(Exception):
    """A program or a run that failed.

    `code` is the error code of the program `lift`, `message` says what is wrong, and `place`, where there is one, is
    the line and column in the source.
    """

    #: If device memory is too small: the kernel, the bytes that its run needs, and the bytes available.
    shortage: tuple[str, int, int] | None = None
    #: If device memory is too small: the bytes of the results, if they follow from the sizes.
    results: int | None = None
    #: If a computed value does not have its type: the input's name and the description of the mismatch.
    misfit: tuple[str, str] | None = None

    def __init__(self, code: str, message: str, place: str | None = None) -> None:
        first, *further = message.split("\n")
        super().__init__("\n".join([f"{first} (at {place})" if place else first, *further]))
        self.code, self.message, self.place = code, message, place

    def __reduce__(self) -> tuple[type, tuple[str, str, str | None]]:
        return type(self), (self.code, self.message, self.place)


def counted(n: int, what: str) -> str:
    """`3 elements`, `1 element`."""
    return f"1 {what}" if n == 1 else f"{n} {what}s"


def bytes_text(count: int) -> str:
    """`40 GB`, `1.5 MB`, `12 bytes`: decimal units."""
    for power, unit in ((15, "PB"), (12, "TB"), (9, "GB"), (6, "MB"), (3, "kB")):
        if count >= 10**power:
            whole, tenth = divmod(count // 10 ** (power - 1), 10)
            return f"{whole}.{tenth} {unit}" if tenth else f"{whole} {unit}"
    return counted(count, "byte")
