"""What ``iotrace top`` shows of intervals: a screen, tables or JSON."""
