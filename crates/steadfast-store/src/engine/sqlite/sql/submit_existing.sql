-- The existing tasks of new ones, in order: whether the task with the id has the same work, the task with the
-- key, and whether that one has the same work.
SELECT json_group_array(json_array(
    known.kind = task.value ->> 'kind' AND known.payload = task.value ->> 'payload',
    nullif(hex(owner.id), ''),
    owner.kind = task.value ->> 'kind' AND owner.payload = task.value ->> 'payload'
))
FROM json_each(?1) AS task
LEFT JOIN steadfast_tasks AS known ON known.id = unhex(task.value ->> 'id')
LEFT JOIN steadfast_tasks AS owner ON owner.key = task.value ->> 'key'
