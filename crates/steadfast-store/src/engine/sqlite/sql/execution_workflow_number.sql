INSERT INTO steadfast_workflows (name, body, kept_at) VALUES (?1, ?2, ?3)
ON CONFLICT (body) DO UPDATE SET body = excluded.body
RETURNING number
