-- Inserts new executions. One with a taken key, or a second follow-up, is left out.
INSERT INTO steadfast_executions (
    id, workflow, name, started_at, due_at, counted_from, key, previous,
    attempts, rate_limit_waits, previous_delay, started_with
)
SELECT
    unhex(new.value ->> 'id'),
    workflow.number,
    workflow.name,
    ?2,
    new.value ->> 'due_at',
    coalesce(new.value ->> 'counted_from', ?2),
    new.value ->> 'key',
    unhex(new.value ->> 'previous'),
    new.value ->> 'attempts',
    new.value ->> 'rate_limit_waits',
    new.value ->> 'previous_delay',
    new.value ->> 'started_with'
FROM json_each(?1) AS new
CROSS JOIN steadfast_workflows AS workflow ON workflow.number = new.value ->> 'workflow'
WHERE TRUE
ON CONFLICT DO NOTHING
RETURNING hex(id)
