DELETE FROM steadfast_budgets WHERE seen_at < ?1
