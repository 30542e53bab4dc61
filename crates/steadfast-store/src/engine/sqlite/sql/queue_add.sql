INSERT INTO steadfast_queues (name) VALUES (?1) RETURNING number
