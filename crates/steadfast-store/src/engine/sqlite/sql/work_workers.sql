SELECT owner AS name, sum(tasks) AS tasks, min(until) AS until
FROM steadfast_leases
WHERE tasks > 0
GROUP BY owner
ORDER BY owner
