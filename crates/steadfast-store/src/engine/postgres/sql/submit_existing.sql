-- The existing tasks with these ids and keys, and whether they have the same work.
SELECT g.id, t.id, g.key, t.kind = g.kind AND t.payload = g.payload
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS g (id, key, kind, payload)
  JOIN steadfast.tasks t ON t.id = g.id OR t.idempotency_key = g.key
