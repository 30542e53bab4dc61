SELECT number, at, body::text AS body FROM steadfast.records
 WHERE kind = $1 AND number < coalesce($2::bigint, 9223372036854775807) ORDER BY number DESC LIMIT $3
