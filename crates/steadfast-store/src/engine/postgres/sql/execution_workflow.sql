SELECT id, name, body, kept_at FROM steadfast.workflows WHERE id = $1
