-- The start of a statement: states and conditions follow.
SELECT json_group_array(hex(id))
FROM (
    SELECT task.id
    FROM steadfast_tasks AS task
    CROSS JOIN steadfast_ended AS ended ON ended.id = task.id
    WHERE ended.status IN
