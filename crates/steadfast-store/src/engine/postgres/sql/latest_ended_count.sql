-- The number of tasks that ended from $1 to $2, counted up to $3.
SELECT count(*) FROM (SELECT FROM steadfast.ended e WHERE e.ended_at BETWEEN $1 AND $2 LIMIT $3) AS counted
