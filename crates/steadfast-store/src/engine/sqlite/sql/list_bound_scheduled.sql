SELECT due_at, 0, id
FROM steadfast_waiting
WHERE (due_at, id) > (?3, ?1) AND due_at <= ?4
ORDER BY due_at, id
LIMIT 1 OFFSET ?2
