SELECT seen_at, report::text AS report FROM steadfast.budgets
 WHERE seen_at > now() - $1::bigint * interval '1 microsecond' ORDER BY policy, instance
