SELECT number, task, status, began_at, ended_at, result, message
FROM steadfast_nodes
WHERE execution = ?1
ORDER BY number
