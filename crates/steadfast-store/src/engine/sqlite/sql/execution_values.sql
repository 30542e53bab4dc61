-- The triggers of executions and the results of nodes, from the task where a completion is not recorded
-- yet, up to a number of bytes; only lengths are summed.
SELECT execution, number AS node, body AS json
FROM (
    SELECT execution, number, body,
        sum(coalesce(octet_length(body), 0)) OVER (ROWS UNBOUNDED PRECEDING)
            - coalesce(octet_length(body), 0) AS before
    FROM (
        SELECT execution.id AS execution, NULL AS number, execution.started_with AS body
        FROM json_each(?1) AS wanted
        CROSS JOIN steadfast_executions AS execution ON execution.id = unhex(wanted.value)
        UNION ALL
        SELECT node.execution, node.number, coalesce(node.result, ended.result)
        FROM json_each(?2) AS wanted
        CROSS JOIN steadfast_nodes AS node
            ON node.execution = unhex(wanted.value ->> 0) AND node.number = wanted.value ->> 1
        LEFT JOIN steadfast_ended AS ended
            ON ended.status = 'completed' AND ended.id = node.task AND node.status <> 'completed'
    )
)
WHERE before < ?3
