"""A module whose items say what it does with them."""

import os
import sys
import time

actions = {"look": "read"}
calls = 0


def visible(completion, row):
    global calls
    calls += 1
    if completion == "raise":
        raise ValueError("no\nsuch answer")
    if completion == "hang":
        time.sleep(600)
    if completion == "exit":
        os._exit(0)
    if completion == "quit":
        sys.exit(3)
    if completion == "fill":
        return len(bytearray(2 << 30))
    if completion == "print":
        print("noise")
        os.write(2, b"more")
    if completion == "two":
        return 2
    if completion == "nan":
        return float("nan")
    if completion == "text":
        return "1"
    if completion == "spoil" and calls < 3:
        os._exit(1)
    return None if completion == "none" else float(completion == row["answer"])


def oracle(completion, row):
    return completion[-1]["content"] == row["answer"]


def solution(row):
    return row["answer"]


def null(row):
    return {1, 2}
