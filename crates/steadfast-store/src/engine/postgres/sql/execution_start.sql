-- Inserts new executions. One with a taken key, or a second follow-up, is left out. Keys are inserted in
-- order, so that two batches do not deadlock.
INSERT INTO steadfast.executions (id, workflow, name, started_at, due_at, counted_from, key, previous,
                                  attempts, rate_limit_waits, previous_delay, started_with)
SELECT g.id, w.id, w.name, now(),
       coalesce(g.due_at, now() + g.due_after * interval '1 microsecond', now()),
       coalesce(g.counted_from, now()), g.key, g.previous, g.attempts, g.waits, g.delay, g.started_with
  FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::timestamptz[], $6::text[],
              $7::uuid[], $8::int[], $9::int[], $10::bigint[], $11::text[]) WITH ORDINALITY
    AS g (id, workflow, due_at, due_after, counted_from, key, previous, attempts, waits, delay, started_with, position)
  JOIN steadfast.workflows w ON w.id = g.workflow
 ORDER BY g.key, g.position
ON CONFLICT DO NOTHING
RETURNING id
