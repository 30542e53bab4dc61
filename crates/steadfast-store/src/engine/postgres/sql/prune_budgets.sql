-- What another instance has in its hands it writes or forgets itself.
DELETE FROM steadfast.budgets WHERE (policy, instance) IN (
    SELECT policy, instance FROM steadfast.budgets
     WHERE seen_at < now() - $1::bigint * interval '1 microsecond' FOR UPDATE SKIP LOCKED
)
