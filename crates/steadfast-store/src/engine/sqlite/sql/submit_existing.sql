-- What is known already of these tasks, in their order: whether what has the id is the same work,
-- whose the key is, and whether the key's owner is the same work.
SELECT json_group_array(json_array(
    known.kind = task.value ->> 'kind' AND known.payload = task.value ->> 'payload',
    nullif(hex(owner.id), ''),
    owner.kind = task.value ->> 'kind' AND owner.payload = task.value ->> 'payload'
))
FROM json_each(?1) AS task
LEFT JOIN steadfast_tasks AS known ON known.id = unhex(task.value ->> 'id')
LEFT JOIN steadfast_tasks AS owner ON owner.key = task.value ->> 'key'
