-- The counts that are not by queue.
SELECT
    (
        SELECT count(*) FROM steadfast_waiting
        WHERE due_at > ?1 AND due_at <= ?1 + 3600 * 1000000
    ) AS due_in_an_hour,
    (
        SELECT count(*) FROM steadfast_waiting
        WHERE due_at > ?1 AND due_at <= ?1 + 24 * 3600 * 1000000
    ) AS due_in_24_hours,
    (SELECT count(*) FROM steadfast_running) AS running,
    ends.*
FROM steadfast_ends AS ends
