-- The aggregated minutes from ?1 to before ?2.
SELECT
    policy_id,
    subsystem,
    sum(sessions) AS sessions,
    sum(successful) AS successful,
    sum(attempts) AS attempts,
    max(most_attempts) AS most_attempts,
    total(seconds) AS seconds
FROM steadfast_sums
WHERE minute >= ?1 AND minute < ?2
GROUP BY policy_id, subsystem
