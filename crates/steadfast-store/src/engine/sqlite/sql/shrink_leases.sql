UPDATE steadfast_leases SET tasks = tasks - (given.value ->> 1)
FROM json_each(?2) AS given
WHERE version = given.value ->> 0
