"""Oracle labels of stored DIAG trajectories. Text in, scores out: no policy, hence no torch."""

from typing import Any

from evotrainer.failures import ConfigInvalid
from evotrainer.jobdir import JobDir
from evotrainer.tables import read_table, to_table, write_table

COLUMNS = ["trajectory_id", "prompt", "artifact", "visible", "split", "domain"]


def run(job: JobDir) -> dict:
    sets = job.spec["sets"]
    counts = {}
    for index, name in enumerate(sets, start=1):
        counts[name] = label_set(job, name)
        job.progress("label", index, len(sets))
        job.obey()
    return {"labelled": counts}


def label_set(job: JobDir, name: str) -> int:
    path = job.input("trajectories", f"{name}.parquet")
    rows = read_table(path, "trajectory").select(COLUMNS).to_pylist()
    for row in rows:
        if row["split"] != "DIAG" or row["domain"] != job.domain.name:
            raise ConfigInvalid(
                f"{path}: holds {row['split']} of {row['domain']}; labels exist for DIAG of"
                f" {job.domain.name} alone, name another set"
            )
    labels = to_table("label", [_label(job, row) for row in rows])
    write_table(job.output(f"labels/{name}", f"labels/{name}.parquet"), labels)
    return len(rows)


def _label(job: JobDir, row: dict[str, Any]) -> dict[str, Any]:
    score, verdict = job.domain.oracle(row["prompt"], row["artifact"])
    return {
        "version": 1,
        "trajectory_id": row["trajectory_id"],
        "oracle_score": score,
        "verdict": verdict,
        "second_grader_score": job.domain.second_score(row["prompt"], row["artifact"]),
        "honest_success": score == 1,
        "invalid_success": row["visible"]["score"] == 1 and score == 0,
    }
