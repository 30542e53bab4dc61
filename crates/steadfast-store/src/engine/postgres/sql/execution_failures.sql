-- The failures of tasks: the reason and the last fault.
SELECT e.id, e.reason, t.last_message, f.record, f.at,
       CASE WHEN f.record IS NULL THEN t.packed_faults END AS packed_faults
  FROM unnest($1::uuid[]) AS g (id)
  JOIN steadfast.ended e ON e.id = g.id AND e.outcome = 'failed'
  JOIN steadfast.tasks t ON t.id = g.id
  LEFT JOIN LATERAL (
    SELECT f.record::text AS record, f.at FROM steadfast.faults f WHERE f.task = g.id
     ORDER BY f.number DESC LIMIT 1
  ) f ON TRUE
