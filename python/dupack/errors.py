"""What dupack raises: one family, with the texts that the command line prints."""

from dupack._native import Error, PlanError, RunError


class RequestError(Error):
    """Something was asked for that does not exist: a paper, a figure, an option that does not fit."""


class OutputError(Error):
    """A place that was asked for cannot be written."""


class WriteError(OutputError):
    """A result could not be written, when it was there already."""


class LawError(Error):
    """A discipline breaks a law that holds for all of them."""


class MissingError(Error):
    """A library of an extra is not installed."""


__all__ = ["Error", "LawError", "MissingError", "OutputError", "PlanError", "RequestError", "RunError", "WriteError"]
