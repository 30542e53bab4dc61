-- Inserts tasks of any kind. Those with a taken id or key are left out. Keys are inserted in order, so that
-- two batches do not deadlock.
WITH inserted AS (
    INSERT INTO steadfast.tasks (id, kind, payload, queue, category, priority, policy,
                                 submitted_at, counted_from, scheduled_at, expires_at,
                                 idempotency_key, correlation_id, hold_category,
                                 attempts, rate_limit_waits, previous,
                                 last_class, last_message, last_attempt_at)
    SELECT g.id, g.kind, g.payload, g.queue, g.category, g.priority, g.policy, now(),
           CASE WHEN g.last_class IS NULL THEN greatest(now(), due.at) ELSE now() END, due.at,
           coalesce(g.expires_at, now() + g.expires_after * interval '1 microsecond'),
           g.key, g.correlation_id, g.hold_category, g.attempts, g.rate_limit_waits, g.previous,
           g.last_class, g.last_message, CASE WHEN g.last_class IS NOT NULL THEN now() END
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::text[], $6::smallint[],
                  $7::int[], $8::timestamptz[], $9::bigint[], $10::timestamptz[], $11::bigint[],
                  $12::text[], $13::text[], $14::boolean[], $15::int[], $16::int[], $17::bigint[],
                  $18::text[], $19::text[]) WITH ORDINALITY
        AS g (id, kind, payload, queue, category, priority, policy, run_at, run_after, expires_at,
              expires_after, key, correlation_id, hold_category, attempts, rate_limit_waits,
              previous, last_class, last_message, position)
      LEFT JOIN steadfast.holds h ON h.queue = g.queue AND h.category = g.category AND h.until > now()
     CROSS JOIN LATERAL (
        SELECT greatest(coalesce(g.run_at, now() + g.run_after * interval '1 microsecond', now()), h.until) AS at
     ) AS due
     ORDER BY g.key, g.position
    ON CONFLICT DO NOTHING
    RETURNING id, queue, priority, submitted_at, scheduled_at, category, kind
),
ended AS (
    INSERT INTO steadfast.ended (id, ended_at, outcome, reason)
    SELECT b.id, now(), 'failed', g.reason
      FROM unnest($1, $20::text[]) AS g (id, reason) JOIN inserted b ON b.id = g.id
     WHERE g.reason IS NOT NULL
    RETURNING id
),
open AS (
    SELECT b.* FROM inserted b WHERE NOT EXISTS (SELECT FROM ended e WHERE e.id = b.id)
),
ready AS (
    INSERT INTO steadfast.ready (id, queue, rank, submitted_at, category, kind)
    SELECT id, queue, ~priority, submitted_at, category, kind FROM open WHERE scheduled_at <= now()
),
waiting AS (
    INSERT INTO steadfast.waiting (run_at, id, queue, rank, submitted_at, category, kind)
    SELECT scheduled_at, id, queue, ~priority, submitted_at, category, kind FROM open WHERE scheduled_at > now()
)
SELECT id, scheduled_at, scheduled_at <= now() FROM inserted
