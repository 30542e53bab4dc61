SELECT run_at FROM steadfast.waiting WHERE run_at > $1 ORDER BY run_at LIMIT 1
