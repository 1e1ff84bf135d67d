#!/usr/bin/env python3
"""Runs jobs as processes of this Linux machine: a complete executor, see docs/executors.md.

Usage: executor-processes.py FOLDER, one request on standard input, one answer on standard output
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(sys.argv[1])


def tagged(name):
    """Every process of the job: children inherit the tag, even in another session."""
    tag = f"JOB_NAME={name}".encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and tag in (entry / "environ").read_bytes().split(b"\0"):
                yield int(entry.name)
        except OSError:  # ended in the meantime, or not ours
            continue


def runs(name):
    try:
        return int((ROOT / name / "pid").read_text()) in tagged(name)
    except (OSError, ValueError):
        return False


def submit(ask):
    """Creates the folder once, so a job that was submitted before is left as it is."""
    folder = ROOT / ask["job"]["name"]
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        return {"state": "accepted"}
    (folder / "job.json").write_text(json.dumps(ask["job"]))
    with open(folder / "log", "wb") as log:
        environment = {**os.environ, "JOB_NAME": ask["job"]["name"]}
        started = subprocess.Popen(
            ask["command"],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=environment,
            start_new_session=True,
        )
    (folder / "pid").write_text(str(started.pid))
    started.stdin.write(ask["stdin"].encode())
    started.stdin.close()
    return {"state": "accepted"}


def status(ask):
    return {"state": "running"} if runs(ask["job"]["name"]) else {"state": "gone"}


def cancel(ask):
    """For a checkpoint, asks with SIGTERM first. Returns when nothing of the job runs."""
    name = ask["job"]["name"]
    if ask["mode"] == "checkpoint" and runs(name):
        os.kill(int((ROOT / name / "pid").read_text()), signal.SIGTERM)
        until = time.monotonic() + ask["grace_s"] + 30
        while runs(name) and time.monotonic() < until:
            time.sleep(0.1)
    while left := list(tagged(name)):
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)
    return {}


def jobs(ask):
    """Names of the jobs of these store roots that run, including orphaned ones."""
    names = [folder.name for folder in ROOT.glob(f"evo-{ask['place']}-*")]
    return {"names": [name for name in names if runs(name)]}


operations = {"submit": submit, "status": status, "cancel": cancel, "list": jobs}
question = json.load(sys.stdin)
json.dump(operations[question["op"]](question), sys.stdout)
