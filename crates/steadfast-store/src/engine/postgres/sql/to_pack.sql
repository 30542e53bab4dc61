SELECT DISTINCT f.task FROM steadfast.faults f JOIN steadfast.ended e ON e.id = f.task
 WHERE e.ended_at < now() - $1::bigint * interval '1 microsecond' LIMIT $2
