"""The recipe's folder is no package of the product: its scripts find their modules beside them."""

from __future__ import annotations

import sys
from pathlib import Path

RECIPE = Path(__file__).parent.parent.parent / "recipes" / "default_model"
sys.path.insert(0, str(RECIPE))
