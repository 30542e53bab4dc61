-- Which of the running tasks are still held under one of the leases.
SELECT g.id FROM (
    SELECT id, version FROM (SELECT unnest(tasks) AS id, version FROM steadfast.leases WHERE version = ANY ($2::bigint[])) l
     WHERE id = ANY ($1::uuid[])
) g
  JOIN steadfast.tasks t ON t.id = g.id
 WHERE t.settled < g.version AND NOT EXISTS (SELECT FROM steadfast.ended e WHERE e.id = g.id)
