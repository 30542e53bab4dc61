-- The end of the next session, from ?1 on.
SELECT min(at)
FROM (
    SELECT min(ended_at) AS at FROM steadfast_ended WHERE status = 'completed' AND ended_at >= ?1
    UNION ALL
    SELECT min(ended_at) FROM steadfast_ended WHERE status = 'failed' AND ended_at >= ?1
    UNION ALL
    SELECT min(ended_at) FROM steadfast_ended WHERE status = 'cancelled' AND ended_at >= ?1
    UNION ALL
    SELECT min(at) FROM steadfast_records WHERE kind = 'session' AND at >= ?1
)
