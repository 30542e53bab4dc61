INSERT INTO steadfast_progress (id, counted_from)
SELECT unhex(value), ?2 FROM json_each(?1)
WHERE true
ON CONFLICT (id) DO UPDATE SET
    attempts = 0,
    rate_limit_waits = 0,
    previous = 0,
    counted_from = excluded.counted_from
