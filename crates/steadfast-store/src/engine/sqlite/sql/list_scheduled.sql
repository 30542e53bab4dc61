SELECT place.due_at, 0, place.id
FROM steadfast_waiting AS place
CROSS JOIN steadfast_tasks AS task ON task.id = place.id
WHERE place.due_at >=
