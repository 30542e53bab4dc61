-- Which of the running tasks are still held under one of the leases.
SELECT g.id FROM steadfast.leases l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS g (id, slot)
 WHERE l.version = ANY ($1::bigint[]) AND get_bit(l.done, g.slot::int - 1) = 0
