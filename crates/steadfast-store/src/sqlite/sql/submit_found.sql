-- What is known already of these tasks, in their order: whether the id is taken, whose the key
-- is, and whether the key's owner is the same work.
SELECT json_group_array(json_array(
    EXISTS (SELECT 1 FROM steadfast_tasks WHERE id = unhex(task.value ->> 'id')),
    nullif(hex(owner.id), ''),
    owner.kind = task.value ->> 'kind' AND owner.payload = task.value ->> 'payload'
))
FROM json_each(?1) AS task
LEFT JOIN steadfast_tasks AS owner ON owner.key = task.value ->> 'key'
