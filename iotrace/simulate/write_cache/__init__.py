"""Write caches on a disk (Biswas, Ramakrishnan and Towsley 1993): what a controller's policies would save."""
