-- Those that wait although their time has come.
SELECT -task.priority, task.submitted_at, task.id
FROM steadfast_waiting AS late
CROSS JOIN steadfast_tasks AS task ON task.id = late.id
WHERE late.due_at <=
