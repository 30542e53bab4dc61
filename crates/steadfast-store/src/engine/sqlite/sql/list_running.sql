SELECT 0, 0, place.id
FROM steadfast_running AS place
CROSS JOIN steadfast_tasks AS task ON task.id = place.id
WHERE true
