"""Own environments: a file of problems and a module of graders, both written by a user."""
