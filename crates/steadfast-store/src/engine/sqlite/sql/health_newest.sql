-- The task that was written last, and not the one with the latest time, which no index knows.
SELECT submitted_at FROM steadfast_tasks ORDER BY rowid DESC LIMIT 1
