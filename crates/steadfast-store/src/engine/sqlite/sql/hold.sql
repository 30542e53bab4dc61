-- Holds the categories of the tasks until the given times; the longer hold wins.
INSERT INTO steadfast_holds (queue, category, until)
SELECT task.queue, task.category, max(named.value ->> 1)
FROM json_each(?1) AS named
CROSS JOIN steadfast_tasks AS task ON task.id = unhex(named.value ->> 0)
WHERE task.category IS NOT NULL
GROUP BY task.queue, task.category
ON CONFLICT (queue, category) DO UPDATE SET until = max(until, excluded.until)
