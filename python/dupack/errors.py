"""Exceptions of dupack. Their texts are what the command line prints."""

from dupack._native import Error, PlanError, RunError


class RequestError(Error):
    """A request is wrong: an unknown paper or figure, or an option that does not apply."""


class OutputError(Error):
    """A file or directory cannot be written."""


class WriteError(OutputError):
    """A result could not be written after it was computed."""


class LawError(Error):
    """A discipline breaks a law that holds for all disciplines."""


class MissingError(Error):
    """A library of an optional extra is not installed."""


__all__ = ["Error", "LawError", "MissingError", "OutputError", "PlanError", "RequestError", "RunError", "WriteError"]
