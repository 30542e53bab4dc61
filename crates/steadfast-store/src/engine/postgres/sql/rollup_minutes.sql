-- The aggregated minutes from $1 to before $2.
SELECT policy_id, subsystem, sum(sessions)::bigint AS sessions, sum(successful)::bigint AS successful,
       sum(attempts)::bigint AS attempts, max(most_attempts) AS most_attempts, sum(seconds) AS seconds
  FROM steadfast.sums
 WHERE minute >= $1 AND minute < $2
 GROUP BY policy_id, subsystem
