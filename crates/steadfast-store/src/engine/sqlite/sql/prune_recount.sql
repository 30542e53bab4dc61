-- Corrects the counters after a program without them has ended or deleted tasks.
UPDATE steadfast_ends SET
    completed = (SELECT count(*) FROM steadfast_ended WHERE status = 'completed'),
    failed = (SELECT count(*) FROM steadfast_ended WHERE status = 'failed'),
    cancelled = (SELECT count(*) FROM steadfast_ended WHERE status = 'cancelled')
