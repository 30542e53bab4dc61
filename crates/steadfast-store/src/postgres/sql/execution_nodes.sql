SELECT number, task, status, began_at, ended_at, result::text AS result, message
  FROM steadfast.nodes WHERE execution = $1 ORDER BY number
