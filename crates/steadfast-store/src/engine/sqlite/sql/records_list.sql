SELECT number, at, body
FROM steadfast_records
WHERE kind = ?1 AND number < ?2
ORDER BY number DESC
LIMIT ?3
