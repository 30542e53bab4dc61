-- Whole minutes ago. The states are literal so that the index of their ages is seen.
SELECT
    (?1 - ended_at) / 60000000 AS minutes_ago,
    sum(status = 'completed') AS completed,
    sum(status = 'failed') AS failed
FROM steadfast_ended
WHERE status IN ('completed', 'failed') AND ended_at > ?1 - 3600 * 1000000
GROUP BY minutes_ago
