-- Every other settlement: retry, failure, postponement, release.
WITH locked AS MATERIALIZED (
    SELECT version, open, tasks, done FROM steadfast.leases WHERE version = ANY ($3::bigint[]) ORDER BY version FOR UPDATE
),
settlements AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::bigint[], $4::bigint[], $5::text[], $6::int[], $7::int[],
                         $8::bigint[], $9::text[], $10::text[], $11::boolean[])
        AS g (id, version, delay, reason, attempts, rate_limit_waits, previous, class, message, hold)
),
candidates AS MATERIALIZED (
    SELECT g.*, h.open AS still_open, h.done, array_position(h.tasks, g.id) AS slot
      FROM settlements g JOIN locked h ON h.version = g.version
),
accepted AS MATERIALIZED (
    SELECT g.*, t.queue, t.category, t.kind, t.priority, t.submitted_at,
           now() + g.delay * interval '1 microsecond' AS run_at
      FROM candidates g JOIN steadfast.tasks t ON t.id = g.id
     WHERE g.slot IS NOT NULL AND get_bit(g.done, g.slot - 1) = 0
),
held AS (
    INSERT INTO steadfast.holds AS h (queue, category, until)
    SELECT queue, category, max(run_at) FROM accepted
     WHERE hold AND category IS NOT NULL AND reason IS NULL GROUP BY queue, category ORDER BY queue, category
    ON CONFLICT (queue, category) DO UPDATE SET until = greatest(h.until, excluded.until)
    RETURNING queue, category, until
),
tasks AS (
    UPDATE steadfast.tasks t
       SET attempts = coalesce(o.attempts, t.attempts),
           rate_limit_waits = coalesce(o.rate_limit_waits, t.rate_limit_waits),
           previous = coalesce(o.previous, t.previous),
           scheduled_at = CASE WHEN o.reason IS NULL THEN o.run_at ELSE t.scheduled_at END,
           last_class = coalesce(o.class, t.last_class), last_message = coalesce(o.message, t.last_message),
           last_attempt_at = CASE WHEN o.class IS NULL THEN t.last_attempt_at ELSE now() END
      FROM accepted o WHERE t.id = o.id
),
ended AS (
    INSERT INTO steadfast.ended (id, ended_at, outcome, reason)
    SELECT id, now(), 'failed', reason FROM accepted WHERE reason IS NOT NULL
),
waiting AS (
    INSERT INTO steadfast.waiting (run_at, id, queue, rank, submitted_at, category, kind)
    SELECT run_at, id, queue, ~priority, submitted_at, category, kind FROM accepted WHERE reason IS NULL AND delay > 0
),
ready AS (
    INSERT INTO steadfast.ready (id, queue, rank, submitted_at, category, kind)
    SELECT id, queue, ~priority, submitted_at, category, kind FROM accepted WHERE reason IS NULL AND delay <= 0
),
remaining AS (
    SELECT version, still_open - count(*)::int AS open, bit_or(set_bit(done, slot - 1, 1)) AS done
      FROM accepted GROUP BY version, still_open
),
deleted AS (
    DELETE FROM steadfast.leases l USING remaining s WHERE l.version = s.version AND s.open <= 0
),
updated AS (
    UPDATE steadfast.leases l SET open = s.open, done = s.done
      FROM remaining s WHERE l.version = s.version AND s.open > 0
)
SELECT id, version, run_at FROM accepted
