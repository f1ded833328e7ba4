import json
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(scope="session")
def reference() -> dict[str, Any]:
    with open(DATA / "dense_small.json", encoding="utf-8") as file:
        return json.load(file)
