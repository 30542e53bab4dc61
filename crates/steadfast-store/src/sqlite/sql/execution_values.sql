-- What executions were started with, and what nodes of them answered: as it was copied, or, if
-- nobody has noticed yet that a task has ended, as the task has it.
SELECT execution.id, NULL, execution.started_with
FROM json_each(?1) AS wanted
CROSS JOIN steadfast_executions AS execution ON execution.id = unhex(wanted.value)
UNION ALL
SELECT node.execution, node.number, coalesce(node.result, ended.result)
FROM json_each(?2) AS wanted
CROSS JOIN steadfast_nodes AS node
    ON node.execution = unhex(wanted.value ->> 0) AND node.number = wanted.value ->> 1
LEFT JOIN steadfast_ended AS ended
    ON ended.status = 'completed' AND ended.id = node.task AND node.status <> 'completed'
