-- For the rest of a transaction. What is counted from end to end is read from end to end, which an
-- index only makes dearer. And whoever has stopped waiting for it cannot tell the server, so it stops
-- by itself.
SELECT set_config('enable_seqscan', $1, true), set_config('statement_timeout', $2, true)
