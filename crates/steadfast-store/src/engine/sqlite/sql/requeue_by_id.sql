-- The beginning of a statement: the statuses follow, and conditions of the task.
SELECT json_group_array(hex(id))
FROM (
    SELECT task.id
    FROM steadfast_tasks AS task
    CROSS JOIN steadfast_ended AS ended ON ended.id = task.id
    WHERE ended.status IN
