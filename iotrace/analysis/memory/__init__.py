"""Pages read from the device at each limit of memory: `prediction` runs the page cache, `sentences` explains."""
