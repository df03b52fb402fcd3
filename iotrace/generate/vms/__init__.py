"""Requests to one disk of a VMS system, made to the load that Biswas, Ramakrishnan and Towsley (1993) publish."""

from iotrace.generate.vms.load import BLOCK_BYTES, Load
from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.presets import Preset, names, preset
from iotrace.generate.vms.requests import generate

__all__ = ["BLOCK_BYTES", "Load", "Parameters", "Preset", "generate", "names", "preset"]
