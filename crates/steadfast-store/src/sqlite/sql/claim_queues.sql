-- Queues that give tasks, and their numbers.
SELECT json_group_object(name, number) FROM steadfast_queues WHERE paused = 0
