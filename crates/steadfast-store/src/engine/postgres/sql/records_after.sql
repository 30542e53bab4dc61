SELECT number, at, body::text AS body FROM steadfast.records
 WHERE kind = $1 AND number > $2 ORDER BY number LIMIT $3
