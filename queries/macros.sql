-- Shares in percent and bins, as the queries write them.
-- A sum of whole numbers; null where it does not fit 63 bits, as of the counters of a damaged log.
create or replace macro whole_sum(n) as if(sum(n) <= 9223372036854775807, sum(n), null)::bigint;
create or replace macro ratio_of(part, whole) as part::double / nullif(whole, 0);
-- The order of classes of calls.
create or replace macro class_order(class) as list_position(['storage', 'waiting', 'other', 'unknown'], class);
-- Whether a row of table syscall is of a process or of the recorder, and not a call.
create or replace macro is_no_call(call) as
    call in ('process_exited', 'process_killed', 'process_superseded', 'process_detached', 'records_lost');
-- The paper's order of types; what it does not know comes last.
create or replace macro type_order(type) as
    coalesce(list_position(['inode', 'directory', 'executable', 'datafile', 'disk'], type), 99);
-- The bounds of tables 3.5 and 3.6: the upper one, inclusive, in bytes; null for the last class.
create or replace macro size_class_bound(bytes) as case
    when bytes <= 1024 then 1024 when bytes <= 4096 then 4096 when bytes <= 8192 then 8192
    when bytes <= 16384 then 16384 when bytes <= 32768 then 32768 when bytes <= 65536 then 65536
    when bytes <= 262144 then 262144 when bytes <= 524288 then 524288
    when bytes <= 1048576 then 1048576 when bytes <= 4194304 then 4194304 end;
-- Whether requests of a type are of the population that parameter population chooses; unmoved ones are made by no
-- read or write call.
create or replace macro in_population(type, unmoved) as case parameter_population()
    when 'data' then type not in ('inode', 'directory') and not unmoved
    when 'metadata' then type in ('inode', 'directory')
    else true end;
-- The name where all rows have the same; else the first in order, and how many others there are.
create or replace macro first_of(name) as
    if(count(distinct name) <= 1, min(name), min(name) || ' and ' || (count(distinct name) - 1) || ' more');
-- The upper bound of one of 16 bins of equal width between two powers of two, at most a 16th above n; the last bin ends
-- at 2^63 - 1.
create or replace macro fine_bin(n) as case
    when n <= 16 then greatest(n, 0)
    when n > 2305843009213693952 then 9223372036854775807
    else (n + (1::bigint << (floor(log2(n))::integer - 4)) - 1) // (1::bigint << (floor(log2(n))::integer - 4))
         * (1::bigint << (floor(log2(n))::integer - 4)) end;
-- What a reader calls a disk: a trace that numbers its volumes has only their numbers.
create or replace macro disk_name(path) as case
    when regexp_full_match(path, '[0-9]+') then 'volume ' || path
    when regexp_full_match(path, '[0-9]+,[0-9]+') then 'device ' || path
    else path end;
-- The digits of an unsigned 64-bit number that is stored as the signed one of the same bits.
create or replace macro unsigned_text(number) as
    case when number < 0 then number::hugeint + 18446744073709551616 else number end::varchar;
