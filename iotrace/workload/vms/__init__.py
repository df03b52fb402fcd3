"""Requests to one disk of a VMS system, made to the load that Biswas, Ramakrishnan and Towsley (1993) publish."""

from __future__ import annotations

from iotrace.workload.vms.load import BLOCK_BYTES, Load
from iotrace.workload.vms.parameters import Parameters
from iotrace.workload.vms.presets import Preset, names, preset
from iotrace.workload.vms.requests import generate

__all__ = ["BLOCK_BYTES", "Load", "Parameters", "Preset", "generate", "names", "preset"]
