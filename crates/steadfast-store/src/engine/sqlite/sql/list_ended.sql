SELECT 0, 0, place.id
FROM steadfast_ended AS place
CROSS JOIN steadfast_tasks AS task ON task.id = place.id
WHERE place.status =
