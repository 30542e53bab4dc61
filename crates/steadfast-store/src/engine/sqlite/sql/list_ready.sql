SELECT place.rank, place.submitted_at, place.id
FROM steadfast_ready AS place
CROSS JOIN steadfast_tasks AS task ON task.id = place.id
WHERE place.queue =
