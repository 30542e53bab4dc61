-- Which of these ids and keys belong to tasks that are there, and whether to the same work.
SELECT g.place, t.id, t.id = g.id OR (t.kind = g.kind AND t.payload::text = g.payload)
  FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::text[]) AS g (place, id, key, kind, payload)
  JOIN steadfast.tasks t ON t.id = g.id OR t.idempotency_key = g.key
