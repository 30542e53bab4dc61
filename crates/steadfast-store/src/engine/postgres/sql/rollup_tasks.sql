-- The tasks that ended from $1 to $2 by policy and subsystem: the kind up to the first dot. Every call is an
-- attempt, including rate limited ones; a completed task was called once more than it failed. A document
-- with U+0000 cannot be parsed, so that character is replaced.
SELECT coalesce(left(CASE WHEN strpos(p.body::text, '\u0000') = 0 THEN p.body
                          ELSE replace(p.body::text, '\u0000', '\ufffd')::json END ->> 'id', 255), 'inline') AS policy_id, s.*
  FROM (SELECT t.policy, split_part(t.kind, '.', 1) AS subsystem, count(*) AS sessions,
               count(*) FILTER (WHERE e.outcome = 'completed') AS successful,
               sum(t.attempts + t.rate_limit_waits + (e.outcome = 'completed')::int)::bigint AS attempts,
               max(t.attempts + t.rate_limit_waits + (e.outcome = 'completed')::int)::bigint AS most_attempts,
               sum(greatest(extract(epoch FROM e.ended_at - t.counted_from), 0))::float8 AS seconds
          FROM steadfast.ended e JOIN steadfast.tasks t ON t.id = e.id
         WHERE e.ended_at BETWEEN $1 AND $2
         GROUP BY 1, 2) s
  JOIN steadfast.policies p ON p.id = s.policy
