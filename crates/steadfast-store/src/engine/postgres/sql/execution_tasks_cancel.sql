INSERT INTO steadfast.ended (id, ended_at, outcome) SELECT g.id, now(), 'cancelled' FROM unnest($1::uuid[]) AS g (id)
