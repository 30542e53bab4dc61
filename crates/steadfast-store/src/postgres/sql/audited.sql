SELECT number, at, actor, source, action, target, detail::text AS detail FROM steadfast.audit
 WHERE number < coalesce($1::bigint, 9223372036854775807)
   AND ($2::text IS NULL OR target = $2) AND ($3::text IS NULL OR actor = $3)
 ORDER BY number DESC LIMIT $4
