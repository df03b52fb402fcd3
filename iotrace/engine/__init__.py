"""The Python face of the engine; the compiled module is ``iotrace.engine.native``."""
