"""The output of ``iotrace top``: a screen, tables or JSON of intervals."""
