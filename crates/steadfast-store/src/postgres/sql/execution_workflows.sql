SELECT id, name, body, kept_at FROM steadfast.workflows
 WHERE $1::bigint IS NULL OR id < $1
 ORDER BY id DESC LIMIT $2
