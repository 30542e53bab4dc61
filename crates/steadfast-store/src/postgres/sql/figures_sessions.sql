-- The sessions of processes that were recorded from $1 to $2, summed up by policy and subsystem:
-- their own, or what their operation begins with, up to the first dot. A number that is none is 0.
SELECT policy_id, coalesce(subsystem, split_part(operation, '.', 1)) AS subsystem, count(*) AS sessions,
       count(*) FILTER (WHERE successful = 'true') AS successful,
       sum(attempts)::bigint AS attempts, max(attempts)::bigint AS most_attempts,
       sum(seconds)::float8 AS seconds
  FROM (SELECT body ->> 'policy_id' AS policy_id, body ->> 'operation' AS operation,
               body ->> 'subsystem' AS subsystem,
               body ->> 'success' AS successful,
               CASE json_typeof(body -> 'total_attempts')
                    WHEN 'number' THEN greatest((body ->> 'total_attempts')::numeric, 0) ELSE 0 END
               + CASE json_typeof(body -> 'forgotten_attempts')
                    WHEN 'number' THEN greatest((body ->> 'forgotten_attempts')::numeric, 0) ELSE 0 END AS attempts,
               CASE json_typeof(body -> 'total_duration')
                    WHEN 'number' THEN greatest((body ->> 'total_duration')::float8, 0) ELSE 0 END AS seconds
          FROM steadfast.records
         WHERE kind = 'session' AND at BETWEEN $1 AND $2) r
 WHERE policy_id IS NOT NULL AND operation IS NOT NULL
 GROUP BY 1, 2
