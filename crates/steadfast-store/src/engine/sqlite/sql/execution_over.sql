-- The executions among these that have ended.
SELECT hex(execution.id)
FROM json_each(?1) AS wanted
CROSS JOIN steadfast_executions AS execution ON execution.id = unhex(wanted.value)
WHERE execution.status <> 'running'
