INSERT INTO steadfast.audit (actor, source, action, target, detail) VALUES ($1, $2, $3, $4, $5::text::json)
