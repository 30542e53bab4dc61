-- A step without a fault is not an attempt: the facts of the last one stay.
INSERT INTO steadfast_progress (
    id, attempts, rate_limit_waits, previous, faults, last_attempt_at, class, message
)
SELECT
    unhex(step.value ->> 'id'),
    step.value ->> 'attempts',
    step.value ->> 'rate_limit_waits',
    step.value ->> 'previous',
    step.value ->> 'fault' IS NOT NULL,
    CASE WHEN step.value ->> 'fault' IS NOT NULL THEN ?2 END,
    step.value ->> 'class',
    step.value ->> 'message'
FROM json_each(?1) AS step
WHERE true
ON CONFLICT (id) DO UPDATE SET
    attempts = excluded.attempts,
    rate_limit_waits = excluded.rate_limit_waits,
    previous = excluded.previous,
    faults = faults + excluded.faults,
    last_attempt_at = coalesce(excluded.last_attempt_at, last_attempt_at),
    class = coalesce(excluded.class, class),
    message = coalesce(excluded.message, message)
