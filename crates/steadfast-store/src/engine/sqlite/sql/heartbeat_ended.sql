-- The tasks of the second list that no lease of the first list holds.
SELECT json_group_array(named.value)
FROM json_each(?2) AS named
LEFT JOIN steadfast_running AS running ON running.id = unhex(named.value)
WHERE running.version IS NULL OR running.version NOT IN (SELECT value FROM json_each(?1))
