"""The one warning class of the package."""


class SigpropWarning(UserWarning):
    """A result is valid but carries a caveat that the caller should read.

    Examples
    --------
    >>> issubclass(SigpropWarning, UserWarning)
    True
    """
