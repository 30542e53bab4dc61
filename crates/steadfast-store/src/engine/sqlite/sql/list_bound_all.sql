-- The bound of a list is the task that is so many places behind where it goes on.
SELECT 0, 0, id FROM steadfast_tasks WHERE id < ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2
