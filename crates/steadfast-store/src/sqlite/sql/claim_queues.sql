-- Queues that have tasks to give, and their numbers. The others are not asked one by one.
SELECT json_group_object(name, number)
FROM steadfast_queues AS queue
WHERE paused = 0 AND EXISTS (SELECT 1 FROM steadfast_ready AS ready WHERE ready.queue = queue.number)
