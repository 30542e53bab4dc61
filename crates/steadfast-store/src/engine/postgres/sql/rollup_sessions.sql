-- The recorded sessions from $1 to $2 by policy and subsystem: their own, or the operation up to the first
-- dot. A value that is not a number is 0, and an absurd one is clamped. A document with U+0000 cannot be
-- parsed, so that character is replaced.
SELECT left(policy_id, 255) AS policy_id, left(coalesce(subsystem, split_part(operation, '.', 1)), 255) AS subsystem,
       count(*) AS sessions,
       count(*) FILTER (WHERE successful = 'true') AS successful,
       sum(attempts)::bigint AS attempts, max(attempts)::bigint AS most_attempts,
       sum(seconds)::float8 AS seconds
  FROM (SELECT body ->> 'policy_id' AS policy_id, body ->> 'operation' AS operation,
               body ->> 'subsystem' AS subsystem,
               body ->> 'success' AS successful,
               CASE json_typeof(body -> 'total_attempts')
                    WHEN 'number' THEN least(greatest((body ->> 'total_attempts')::numeric, 0), 1e12) ELSE 0 END
               + CASE json_typeof(body -> 'forgotten_attempts')
                    WHEN 'number' THEN least(greatest((body ->> 'forgotten_attempts')::numeric, 0), 1e12) ELSE 0 END AS attempts,
               CASE json_typeof(body -> 'total_duration')
                    WHEN 'number' THEN least(greatest((body ->> 'total_duration')::float8, 0), 1e12) ELSE 0 END AS seconds
          FROM (SELECT CASE WHEN strpos(body::text, '\u0000') = 0 THEN body
                            ELSE replace(body::text, '\u0000', '\ufffd')::json END AS body
                  FROM steadfast.records
                 WHERE kind = 'session' AND at BETWEEN $1 AND $2) readable) r
 WHERE policy_id IS NOT NULL AND operation IS NOT NULL
 GROUP BY 1, 2
