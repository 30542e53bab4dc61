INSERT INTO steadfast.records (kind, body) SELECT g.kind, g.body::json FROM unnest($1::text[], $2::text[]) AS g (kind, body)
