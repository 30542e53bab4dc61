-- Inserts tasks that differ only in id and payload, as in most bulk submissions. A conflict is an error; the
-- caller then uses the other statement.
WITH due AS (
    SELECT greatest(coalesce($8::timestamptz, now() + $9::bigint * interval '1 microsecond', now()),
                    (SELECT h.until FROM steadfast.holds h
                      WHERE h.queue = $4 AND h.category = $5 AND h.until > now())) AS at
),
inserted AS (
    INSERT INTO steadfast.tasks (id, payload, kind, queue, category, priority, policy,
                                 submitted_at, counted_from, scheduled_at, expires_at, hold_category)
    SELECT g.id, g.payload, $3, $4, $5, $6, $7, now(), greatest(now(), due.at), due.at,
           coalesce($10::timestamptz, now() + $11::bigint * interval '1 microsecond'), $12
      FROM unnest($1::uuid[], $2::text[]) AS g (id, payload) CROSS JOIN due
),
ready AS (
    INSERT INTO steadfast.ready (id, queue, rank, submitted_at, category, kind)
    SELECT id, $4, ~$6::smallint, now(), $5, $3 FROM unnest($1) AS g (id)
     WHERE (SELECT at FROM due) <= now()
),
waiting AS (
    INSERT INTO steadfast.waiting (run_at, id, queue, rank, submitted_at, category, kind)
    SELECT (SELECT at FROM due), id, $4, ~$6::smallint, now(), $5, $3 FROM unnest($1) AS g (id)
     WHERE (SELECT at FROM due) > now()
)
SELECT at, at <= now() FROM due
