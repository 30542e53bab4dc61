UPDATE steadfast_running SET version = ?3, lost_by = lost.value ->> 2
FROM json_each(?1) AS lost
WHERE steadfast_running.id = unhex(lost.value ->> 0)
