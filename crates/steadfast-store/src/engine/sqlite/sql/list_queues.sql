SELECT number FROM steadfast_queues WHERE ?1 IS NULL OR name = ?1
