"""Programs that are not ours run without network, within limits, and see only their own files."""
