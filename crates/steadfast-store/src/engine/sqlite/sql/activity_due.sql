-- Each hour is counted along the index: grouping by the hour would sort again.
WITH RECURSIVE hours (hours) AS (
    SELECT 0
    UNION ALL
    SELECT hours + 1 FROM hours WHERE hours < 23
)
SELECT hours, (
    SELECT count(*) FROM steadfast_waiting
    WHERE due_at > ?1 + hours * 3600000000 AND due_at <= ?1 + (hours + 1) * 3600000000
) AS tasks
FROM hours
