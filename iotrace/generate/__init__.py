"""Generated traces: loads of VMS disks, access patterns, loop nests, imitations of programs."""
