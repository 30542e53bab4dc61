-- One writer at a time: whoever reads on from the last number must find every smaller one there.
WITH alone AS MATERIALIZED (SELECT pg_advisory_xact_lock($3))
INSERT INTO steadfast.records (kind, body)
SELECT g.kind, g.body::json FROM alone CROSS JOIN unnest($1::text[], $2::text[]) AS g (kind, body)
