-- The indexes of the settlements whose lease holds their task.
SELECT json_group_array(word.key)
FROM json_each(?1) AS word
CROSS JOIN steadfast_running AS running ON running.id = unhex(word.value ->> 0)
WHERE running.version = word.value ->> 1
