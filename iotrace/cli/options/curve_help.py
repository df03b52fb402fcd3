"""Text of ``iotrace curve --help`` beside the options: examples, and costs of devices."""

from iotrace.cli.options.device import HELP

EPILOG = (
    """
[b]Examples[/b]

 iotrace curve strace.log                         miss ratios at sizes that double
 iotrace curve a.iotrace --block 4K -f csv        every size at which a count changes
 iotrace curve a.csv --columns key=2 --sizes 10000  a cache of objects
 iotrace curve a.iotrace --where "type = 'datafile'" --by "program like '%/cc1'"
 iotrace curve a.iotrace --sample 0.01            estimated from 1 % of the blocks
 iotrace curve a.iotrace --fetch 4K,64K --coalesce 25  disk reads and writes
"""
    + HELP
)
