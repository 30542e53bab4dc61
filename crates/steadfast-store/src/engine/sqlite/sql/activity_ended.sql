-- Whole minutes ago, each counted along the index: grouping by the minute costs six times as much. The
-- states are literal, so that the index by age is used.
WITH RECURSIVE minutes (ago) AS (
    SELECT ?2
    UNION ALL
    SELECT ago + 1 FROM minutes WHERE ago + 1 < ?3
)
SELECT
    ago AS minutes_ago,
    (
        SELECT count(*) FROM steadfast_ended
        WHERE status = 'completed'
            AND ended_at > ?1 - (ago + 1) * 60000000 AND ended_at <= ?1 - ago * 60000000
    ) AS completed,
    (
        SELECT count(*) FROM steadfast_ended
        WHERE status = 'failed'
            AND ended_at > ?1 - (ago + 1) * 60000000 AND ended_at <= ?1 - ago * 60000000
    ) AS failed
FROM minutes
