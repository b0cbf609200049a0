"""The exceptions of argosy's calls."""
# SPDX-License-Identifier: BSD-3-Clause
import os


class Error(OSError):
    """A call failed. Every rank of a collective call gets this exception, with the same errno.

    errno        the number of the operating system, or None if there is none
    code         the error of this rank by its name in argosy: "no_space", "not_same",
                 "error_on_another_rank"; docs/use/errors.md has them all
    cause        the error of the rank that failed first
    failed_rank  the lowest rank that failed; -1 if it was no single one
    report       what a read or write had done on this rank before it failed, or None

    If Python has an exception of its own for the errno, the exception is one of that class, too:
    `except FileNotFoundError` works.
    """

    code = cause = ""
    failed_rank = -1
    report = None

    def __str__(self):
        return str(self.args[-1]) if self.args else ""


_classes = {}


def make(text, errno, code, cause, failed_rank, report):
    """Returns the exception for an error of the compiled part."""
    known = type(OSError(errno, os.strerror(errno))) if errno is not None else OSError
    if known not in _classes:
        _classes[known] = Error if known is OSError else type(known.__name__, (Error, known), {"__module__": __name__})
    error = _classes[known](errno, text)
    error.code, error.cause, error.failed_rank, error.report = code, cause, failed_rank, report
    return error
