-- Before the rows are deleted.
UPDATE steadfast_ends SET
    completed = steadfast_ends.completed - leaving.completed,
    failed = steadfast_ends.failed - leaving.failed,
    cancelled = steadfast_ends.cancelled - leaving.cancelled
FROM (
    SELECT
        count(*) FILTER (WHERE ended.status = 'completed') AS completed,
        count(*) FILTER (WHERE ended.status = 'failed') AS failed,
        count(*) FILTER (WHERE ended.status = 'cancelled') AS cancelled
    FROM json_each(?1) AS moved
    CROSS JOIN steadfast_ended AS ended
        ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = unhex(moved.value)
) AS leaving
