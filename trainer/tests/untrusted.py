"""Evaluates each expression of a JSON list on standard input as the trainer would, over one row.

Prints a JSON list with the values or the refusal of each. Each has a tenth of a second.
"""

import json
import sys

from evotrainer import features
from evotrainer.contract import arrow_schema
from evotrainer.failures import ConfigInvalid, Diverged

if __name__ == "__main__":
    features.SECONDS_MAX = 0.1
    row = {name: None for name in arrow_schema("facts").names}
    answers = []
    for sql in json.load(sys.stdin):
        try:
            answers.append(features.evaluate_features([{"name": "probe", "sql": sql}], [row]))
        except (ConfigInvalid, Diverged) as error:
            answers.append(str(error))
    json.dump(answers, sys.stdout)
