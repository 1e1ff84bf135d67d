"""The recipe with every setting at its default, which the contract's schema has."""

import json
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).resolve().parent.parent / "contract" / "recipe.schema.json"


def default_recipe(**changes: Any) -> dict[str, Any]:
    """Paid by the visible score, on the easiest tasks. Changes are `section__key=value`."""
    recipe = {
        "reward": {"components": [{"feature": "visible_pass", "weight": 1}]},
        "curriculum": {"levels": [1, 1]},
        **{section: {} for section in ("filter", "rollout", "optimizer")},
    }
    recipe = _filled(json.loads(SCHEMA.read_text()), recipe)
    for path, value in changes.items():
        section, key = path.split("__")
        recipe[section][key] = value
    return recipe


def _filled(schema: dict[str, Any], value: Any) -> Any:
    """The value with the defaults of what it leaves out, in objects that are not optional."""
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    return {
        key: _filled(part, value.get(key, part.get("default")))
        for key, part in schema["properties"].items()
    }
