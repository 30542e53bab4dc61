SELECT (due_at - ?1 - 1) / 3600000000 AS hours, count(*) AS tasks
FROM steadfast_waiting
WHERE due_at > ?1 AND due_at <= ?1 + 24 * 3600 * 1000000
GROUP BY hours
