-- The first scheduled tasks that are due.
SELECT json_group_array(hex(id))
FROM (
    SELECT id FROM steadfast_waiting WHERE due_at <= ?1 ORDER BY due_at, id LIMIT ?2
)
