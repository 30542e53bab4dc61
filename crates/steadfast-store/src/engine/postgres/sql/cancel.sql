INSERT INTO steadfast.ended (id, ended_at, outcome) VALUES ($1, now(), 'cancelled')
