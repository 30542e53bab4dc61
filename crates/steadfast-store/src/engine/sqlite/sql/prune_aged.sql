-- A node that is still submitted has a missed completion, and needs the result.
SELECT json_group_array(json_array(hex(id), ended_at))
FROM (
    SELECT id, ended_at FROM steadfast_ended AS ended
    WHERE status = ?1 AND ended_at < ?2
        AND NOT EXISTS (
            SELECT 1 FROM steadfast_nodes AS node
            WHERE node.task = ended.id AND node.status = 'submitted'
        )
    ORDER BY ended_at
    LIMIT ?3
)
