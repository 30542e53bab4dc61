-- The latest tasks that ended before the key (?1, ?2). The states are literal, so that the index by age is
-- used.
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
