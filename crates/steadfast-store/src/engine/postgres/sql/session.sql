-- For every connection. A plan is kept for as long as its connection, so one that is made while
-- the tables are empty must be right when they are full: an index that leads there is preferred
-- to reading from end to end, and one that is in order to sorting. What is left of either looks
-- so dear then that it would be compiled first, each time, for longer than it takes.
SET enable_seqscan = off;
SET enable_sort = off;
SET jit = off
