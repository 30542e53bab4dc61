SELECT seen_at, report FROM steadfast_budgets WHERE seen_at > ?1 ORDER BY policy, instance
