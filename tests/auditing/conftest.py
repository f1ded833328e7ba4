"""Bands cost seconds at small widths: tests that are not about them do without."""

import pytest

from sigprop.auditing import prediction


@pytest.fixture
def no_bands(monkeypatch):
    unknown = prediction._Band(-1.0, 1.0, 0.0)
    monkeypatch.setattr(prediction, "_unit_band", lambda n, k, field: unknown)
