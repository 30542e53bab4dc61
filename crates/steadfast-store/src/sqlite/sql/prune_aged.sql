SELECT json_group_array(json_array(hex(id), ended_at))
FROM (
    SELECT id, ended_at FROM steadfast_ended
    WHERE status = ?1 AND ended_at < ?2
    ORDER BY ended_at
    LIMIT ?3
)
