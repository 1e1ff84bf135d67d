"""The contract with TypeScript: JSON Schemas generated from zod, as checks and Arrow columns."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
from jsonschema.exceptions import ValidationError

from evotrainer.failures import ConfigInvalid

FOLDER = Path(__file__).resolve().parent.parent / "contract"
SCALARS = {"string": pa.string, "integer": pa.int64, "number": pa.float64, "boolean": pa.bool_}


# JavaScript's name of what is no control character, which Python's re does not know.
NO_CONTROL = (r"\\P{Cc}", r"[^\\x00-\\x1f\\x7f-\\x9f]")


@cache
def schema(name: str) -> dict[str, Any]:
    text = (FOLDER / f"{name}.schema.json").read_text()
    return json.loads(text.replace(*NO_CONTROL))


def check(name: str, value: Any, file: str) -> None:
    """Refuse a value that the schema does not allow, with the file and the key."""
    validator = jsonschema.Draft202012Validator(schema(name))
    errors = [_deepest(error) for error in validator.iter_errors(value)]
    if errors:
        error = min(errors, key=lambda error: [str(part) for part in error.absolute_path])
        key = "/".join(str(part) for part in error.absolute_path) or "(top)"
        reason = error.message[:300]
        raise ConfigInvalid(f"{file}: at {key}: {reason}; see contract/{name}.schema.json")


def _deepest(error: ValidationError) -> ValidationError:
    """For a union, the error of the member whose discriminator fits the value."""
    if error.validator not in ("oneOf", "anyOf") or not error.context:
        return error
    members: dict[Any, list[ValidationError]] = {}
    for inner in error.context:
        members.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [errors for errors in members.values() if not any(map(_discriminates, errors))]
    if len(fitting) == 1:
        return _deepest(fitting[0][0])
    known = [inner for inner in error.context if _discriminates(inner)]
    if known and not fitting:
        allowed = ", ".join(str(inner.validator_value) for inner in known)
        known[0].message = f"{known[0].instance!r} is not one of {allowed}"
        return known[0]
    return error


def _discriminates(error: ValidationError) -> bool:
    """Whether the error is about the key that tells members apart; `version` never does."""
    return error.validator == "const" and error.absolute_path[-1] != "version"


@cache
def arrow_schema(name: str) -> pa.Schema:
    """The Parquet columns of a table, in the order of its JSON Schema."""
    properties = schema(name)["properties"]
    return pa.schema([pa.field(key, _arrow_type(value)) for key, value in properties.items()])


def _arrow_type(node: dict[str, Any]) -> pa.DataType:
    if "anyOf" in node:
        node = next(member for member in node["anyOf"] if member.get("type") != "null")
    kind = node["type"]
    if isinstance(kind, list):
        kind = next(member for member in kind if member != "null")
    if kind == "array":
        return pa.list_(_arrow_type(node["items"]))
    if kind == "object":
        return pa.struct(
            [pa.field(key, _arrow_type(value)) for key, value in node["properties"].items()]
        )
    return SCALARS[kind]()


def canonical_json(value: Any) -> str:
    """The text that core/canonical-json.ts makes: sorted keys, numbers as in ECMAScript."""
    if isinstance(value, dict):
        items = sorted(value.items(), key=lambda item: item[0].encode("utf-16-be"))
        inner = (f"{json.dumps(k, ensure_ascii=False)}:{canonical_json(v)}" for k, v in items)
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(canonical_json(item) for item in value) + "]"
    if isinstance(value, float):
        return _ecma_number(value)
    return json.dumps(value, ensure_ascii=False)


def _ecma_number(value: float) -> str:
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    power = int(exponent)
    if -7 < power < 0:
        return f"{value:.{len(digits.replace('-', '').replace('.', '')) - 1 - power}f}"
    return f"{digits}e{power:+d}"
