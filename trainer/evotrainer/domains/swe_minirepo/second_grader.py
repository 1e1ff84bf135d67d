"""A second, independent grader: reads the task's content and the patch as text, by pattern.

It shares no code with the repository, the tools and the first grader, and so no mistakes.
"""

import re

LINE = re.compile(r"(?P<path>src/[a-f]|tests):(?P<line>\d): (?P<text>.+)")
FUNCTION = re.compile(
    r"(?P<head>(?P<name>F\d+) \([-+*] \w+\)): (?P<a>\w+) (?P<op>[-+*]) (?P<b>\w+)"
)
ASSERTION = re.compile(r"(?P<head>(?P<name>F\d+)\((?P<given>\d)\)) == (?P<value>\d)")
OPERAND = re.compile(r"X|\d|F(\d|1[0-7])")
Lines = dict[tuple[str, str], str]
Values = dict[str, list[int | None]]


def score(content: str, patch: str) -> float:
    """1 if the patched text computes what the fixed text computes and its own assertions hold."""
    files, _, fix = content.partition("\nfix:\n")
    before = read_lines(files.rpartition("\nissue: ")[0])
    edits = read_lines(patch)
    if before is None or not edits or any(key not in before for key in edits):
        return 0.0
    if any(not keeps_head(before[key], text) for key, text in edits.items()):
        return 0.0
    after, right = before | edits, before | (read_lines(fix) or {})
    values = table(after)
    if after == before or values != table(right):
        return 0.0
    return float(all(holds(text, values) for text in after.values()))


def read_lines(text: str) -> Lines | None:
    """Text by (path, line); None where a row does not parse or a line comes twice."""
    rows = [LINE.fullmatch(row) for row in text.split("\n")]
    lines = {(row["path"], row["line"]): row["text"] for row in rows if row}
    return lines if len(lines) == len(rows) else None


def keeps_head(old: str, new: str) -> bool:
    for pattern in (FUNCTION, ASSERTION):
        was, now = pattern.fullmatch(old), pattern.fullmatch(new)
        if was and now:
            operands = [now["a"], now["b"]] if pattern is FUNCTION else []
            return was["head"] == now["head"] and all(map(OPERAND.fullmatch, operands))
    return False


def table(lines: Lines) -> Values:
    """Values of all functions on 0 to 9, filled in until nothing changes."""
    bodies = [found for text in lines.values() if (found := FUNCTION.fullmatch(text))]
    values: Values = {found["name"]: [None] * 10 for found in bodies}
    for _ in bodies:
        before = dict(values)
        for found in bodies:
            left, right = known(found["a"], values), known(found["b"], values)
            values[found["name"]] = [
                combine(found["op"], *pair) for pair in zip(left, right, strict=True)
            ]
        if values == before:
            break
    return values


def known(operand: str, values: Values) -> list[int | None]:
    if operand == "X":
        return list(range(10))
    return [int(operand)] * 10 if operand.isdigit() else values.get(operand, [None] * 10)


def combine(operator: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    if operator == "*":
        return left * right % 10
    return (left + right) % 10 if operator == "+" else (left - right) % 10


def holds(text: str, values: Values) -> bool:
    found = ASSERTION.fullmatch(text)
    return not found or values[found["name"]][int(found["given"])] == int(found["value"])
