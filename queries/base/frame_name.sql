-- Names of frames
--
-- One row per frame of a stack, with what a flame graph calls it: the function; else the file of the program or library,
-- in brackets.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   stack  int32   [identifier]  As in table stack_frame.
--   depth  int32   [number]      As in table stack_frame.
--   name   string  [name]        The function, or the file in brackets; [unknown] where neither is known.

select stack, depth, coalesce(function, '[' || parse_filename(module) || ']', '[unknown]') as name from stack_frame
