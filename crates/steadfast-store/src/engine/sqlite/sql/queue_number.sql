SELECT number FROM steadfast_queues WHERE name = ?1
