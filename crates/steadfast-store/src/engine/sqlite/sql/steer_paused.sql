INSERT INTO steadfast_queues (name, paused) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET paused = excluded.paused
