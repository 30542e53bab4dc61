-- The same, found by state.
SELECT json_group_array(hex(id))
FROM (
    SELECT task.id
    FROM steadfast_ended AS ended
    CROSS JOIN steadfast_tasks AS task ON task.id = ended.id
    WHERE ended.status IN
