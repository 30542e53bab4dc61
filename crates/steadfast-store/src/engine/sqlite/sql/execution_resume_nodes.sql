-- Nodes whose tasks are requeued.
UPDATE steadfast_nodes
SET status = 'submitted', ended_at = NULL, message = NULL, result = NULL
FROM (
    SELECT unhex(value ->> 'execution') AS of, value ->> 'number' AS at FROM json_each(?1)
) AS resumed
WHERE steadfast_nodes.execution = resumed.of AND steadfast_nodes.number = resumed.at
