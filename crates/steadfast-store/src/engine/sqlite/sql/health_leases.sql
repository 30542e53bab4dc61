SELECT
    count(*) FILTER (WHERE until < ?1) AS lapsed,
    coalesce(sum(tasks) FILTER (WHERE until < ?1), 0) AS tasks,
    ?1 - min(until) AS longest,
    json_group_array(DISTINCT owner) FILTER (WHERE until < ?1) AS workers,
    count(*) FILTER (WHERE until >= ?1) AS alive
FROM steadfast_leases
