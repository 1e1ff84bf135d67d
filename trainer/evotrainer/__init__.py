"""The program a job runs: `python -m evotrainer <jobdir>`."""
