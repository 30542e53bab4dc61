SELECT count(*) FILTER (WHERE until < now()) AS lapsed,
       coalesce(sum(open) FILTER (WHERE until < now()), 0)::bigint AS tasks,
       extract(epoch FROM now() - min(until))::float8 AS longest,
       (array_agg(DISTINCT worker) FILTER (WHERE until < now()))[1:3] AS workers,
       count(*) FILTER (WHERE until >= now()) AS alive
  FROM steadfast.leases WHERE open > 0
