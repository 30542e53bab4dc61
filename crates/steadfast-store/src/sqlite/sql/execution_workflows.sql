SELECT number, name, body, kept_at FROM steadfast_workflows
WHERE number < coalesce(?1, 9223372036854775807)
ORDER BY number DESC
LIMIT ?2
