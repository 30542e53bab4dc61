-- How many have ended, and how; one row. Whoever ends tasks, forgets them or has them tried again
-- counts them in the same transaction, once for all of a batch: a trigger would do so once for each,
-- and ends are the hottest writes there are.
CREATE TABLE steadfast_ends (
    completed INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    cancelled INTEGER NOT NULL
) STRICT;

INSERT INTO steadfast_ends (completed, failed, cancelled)
SELECT
    (SELECT count(*) FROM steadfast_ended WHERE status = 'completed'),
    (SELECT count(*) FROM steadfast_ended WHERE status = 'failed'),
    (SELECT count(*) FROM steadfast_ended WHERE status = 'cancelled');
