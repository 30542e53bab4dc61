SELECT worker AS name, sum(open)::bigint AS tasks, min(until) AS until
  FROM steadfast.leases WHERE open > 0 GROUP BY worker ORDER BY worker COLLATE "C"
