"""The first screen of a trace: where the time goes, what to change, which cache, for every family of traces."""
