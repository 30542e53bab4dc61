-- The states of executions. Their nodes come from another statement.
SELECT x.id, x.workflow, x.version, x.status, x.attempts, x.rate_limit_waits, x.previous_delay,
       x.counted_from, x.next, clock_timestamp() AS now
  FROM unnest($1::uuid[]) AS g (id)
  JOIN steadfast.executions x ON x.id = g.id
