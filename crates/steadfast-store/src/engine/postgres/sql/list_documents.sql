-- The documents of these tasks, from the first on, up to a number of bytes. Only lengths are summed;
-- texts are read for the returned rows.
SELECT payload, result::text AS result
  FROM (
    SELECT wanted.position, t.payload, e.result,
           sum(size.bytes) OVER (ORDER BY wanted.position) - size.bytes AS before
      FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, position)
      LEFT JOIN steadfast.tasks t ON t.id = wanted.id
      LEFT JOIN steadfast.ended e ON e.id = wanted.id
     CROSS JOIN LATERAL (
        SELECT coalesce(octet_length(t.payload), 0) + coalesce(octet_length(e.result::text), 0)) AS size (bytes)
  ) AS sized
 WHERE before < $2
 ORDER BY position
