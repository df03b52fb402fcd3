"""Requests to one disk of a VMS system, made to the load that Biswas, Ramakrishnan and Towsley (1993) publish."""
