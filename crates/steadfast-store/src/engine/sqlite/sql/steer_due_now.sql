INSERT INTO steadfast_progress (id, due_at) VALUES (?1, ?2)
ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at
