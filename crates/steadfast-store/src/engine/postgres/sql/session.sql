-- The settings of every connection. A plan is cached for as long as its connection, so one that is made
-- on empty tables must be right for full ones: an index is preferred to a sequential scan, and an ordered
-- index to sorting. The remaining scans and sorts then look so expensive that they would be compiled each
-- time, for longer than they take.
SET enable_seqscan = off;
SET enable_sort = off;
SET jit = off
