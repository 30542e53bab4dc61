-- Which of the named tasks are held under the named versions: their places in the list.
SELECT json_group_array(word.key)
FROM json_each(?1) AS word
CROSS JOIN steadfast_running AS running ON running.id = unhex(word.value ->> 0)
WHERE running.version = word.value ->> 1
