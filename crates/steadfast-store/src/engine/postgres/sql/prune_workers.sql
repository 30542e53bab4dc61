-- What another instance has in its hands it writes or forgets itself.
DELETE FROM steadfast.workers WHERE (name, instance) IN (
    SELECT name, instance FROM steadfast.workers
     WHERE seen_at < now() - $1::bigint * interval '1 microsecond' FOR UPDATE SKIP LOCKED
)
