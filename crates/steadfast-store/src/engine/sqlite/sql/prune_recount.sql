-- What a program that knows nothing of the counts has ended, or forgotten, is not in them.
UPDATE steadfast_ends SET
    completed = (SELECT count(*) FROM steadfast_ended WHERE status = 'completed'),
    failed = (SELECT count(*) FROM steadfast_ended WHERE status = 'failed'),
    cancelled = (SELECT count(*) FROM steadfast_ended WHERE status = 'cancelled')
