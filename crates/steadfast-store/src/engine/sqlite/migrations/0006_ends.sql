-- Counters of ended tasks by status; one row. A statement that ends, prunes or requeues tasks updates
-- them in the same transaction, once per batch: a trigger would do so once per task, and settlements
-- are the most frequent writes.
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
