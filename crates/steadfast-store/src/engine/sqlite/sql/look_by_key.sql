SELECT id FROM steadfast_tasks WHERE key = ?1
