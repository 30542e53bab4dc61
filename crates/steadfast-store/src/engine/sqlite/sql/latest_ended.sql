-- The latest tasks that ended before the place (?1, ?2), along the order of their ends. The states
-- are literal so that the index of their ages is seen.
SELECT ended_at, 0, id
FROM (
    SELECT ended_at, id FROM (
        SELECT ended_at, id FROM steadfast_ended
        WHERE status = 'completed' AND (ended_at, id) < (?1, ?2)
        ORDER BY ended_at DESC, id DESC LIMIT ?3
    )
    UNION ALL
    SELECT ended_at, id FROM (
        SELECT ended_at, id FROM steadfast_ended
        WHERE status = 'failed' AND (ended_at, id) < (?1, ?2)
        ORDER BY ended_at DESC, id DESC LIMIT ?3
    )
    UNION ALL
    SELECT ended_at, id FROM (
        SELECT ended_at, id FROM steadfast_ended
        WHERE status = 'cancelled' AND (ended_at, id) < (?1, ?2)
        ORDER BY ended_at DESC, id DESC LIMIT ?3
    )
)
ORDER BY ended_at DESC, id DESC
LIMIT ?3
