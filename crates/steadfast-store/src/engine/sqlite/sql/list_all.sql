-- A list answers the two numbers that it is ordered by, if it is, and the id. It is the
-- beginning of a statement: conditions of the task follow, then its order.
SELECT 0, 0, task.id
FROM steadfast_tasks AS task
WHERE true
