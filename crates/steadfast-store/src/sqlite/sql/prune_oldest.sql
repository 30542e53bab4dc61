-- The oldest of each status, merged.
SELECT json_group_array(json_array(hex(id), ended_at))
FROM (
    SELECT id, ended_at FROM (
        SELECT * FROM (
            SELECT id, ended_at FROM steadfast_ended
            WHERE status = 'completed' ORDER BY ended_at LIMIT ?1
        )
        UNION ALL
        SELECT * FROM (
            SELECT id, ended_at FROM steadfast_ended
            WHERE status = 'failed' ORDER BY ended_at LIMIT ?1
        )
        UNION ALL
        SELECT * FROM (
            SELECT id, ended_at FROM steadfast_ended
            WHERE status = 'cancelled' ORDER BY ended_at LIMIT ?1
        )
    )
    ORDER BY ended_at
    LIMIT ?1
)
