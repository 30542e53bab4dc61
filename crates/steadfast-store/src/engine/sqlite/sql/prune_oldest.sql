-- The oldest tasks of each state, merged, without those with a missed completion.
SELECT json_group_array(json_array(hex(id), ended_at))
FROM (
    SELECT id, ended_at FROM (
        SELECT * FROM (
            SELECT id, ended_at FROM steadfast_ended AS ended
            WHERE status = 'completed'
                AND NOT EXISTS (
                    SELECT 1 FROM steadfast_nodes AS node
                    WHERE node.task = ended.id AND node.status = 'submitted'
                )
            ORDER BY ended_at LIMIT ?1
        )
        UNION ALL
        SELECT * FROM (
            SELECT id, ended_at FROM steadfast_ended AS ended
            WHERE status = 'failed'
                AND NOT EXISTS (
                    SELECT 1 FROM steadfast_nodes AS node
                    WHERE node.task = ended.id AND node.status = 'submitted'
                )
            ORDER BY ended_at LIMIT ?1
        )
        UNION ALL
        SELECT * FROM (
            SELECT id, ended_at FROM steadfast_ended AS ended
            WHERE status = 'cancelled'
                AND NOT EXISTS (
                    SELECT 1 FROM steadfast_nodes AS node
                    WHERE node.task = ended.id AND node.status = 'submitted'
                )
            ORDER BY ended_at LIMIT ?1
        )
    )
    ORDER BY ended_at
    LIMIT ?1
)
