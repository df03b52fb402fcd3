-- Requests for keys as the streaming pass reads them
--
-- What the pass that computes streamed views of keys needs of each request. Its rows have to be read in the order of seq.
--
-- Source: iotrace.
-- Family: key_io
--
-- Columns:
--   place    int64   [position]    Its place among the rows of table key_io as they are stored.
--   seq      int64   [position]    As in table key_io.
--   time_ns  int64?  [ns]          As in table key_io.
--   key      int64   [identifier]  As in table key_io.
--   moves    bool    [truth]       Whether it does not delete its key.
--   writes   bool?   [truth]       Whether it writes; missing if the trace does not state what it does.

select row_number() over () - 1 as place, seq, time_ns, key, key_operation(operation) is distinct from 'delete' as moves,
       key_operation(operation) = 'write' as writes
from key_io
