INSERT INTO steadfast.audit (actor, source, action, target, detail)
SELECT actor, source, action, target, detail::json
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
    WITH ORDINALITY AS entry (actor, source, action, target, detail, position)
ORDER BY position
