-- Where the lines begin. Each rank of each queue is in the order of submission: the first of each is
-- looked up, and none is walked along. What waits although its time has come is about to be made ready.
WITH RECURSIVE heads AS (
    SELECT q.id AS queue, (SELECT min(r.rank) FROM steadfast.ready r WHERE r.queue = q.id) AS rank
      FROM steadfast.queues q
    UNION ALL
    SELECT h.queue, (SELECT min(r.rank) FROM steadfast.ready r WHERE r.queue = h.queue AND r.rank > h.rank)
      FROM heads h WHERE h.rank IS NOT NULL
)
SELECT (SELECT min(run_at) FROM steadfast.waiting WHERE run_at > now()) AS next_due,
       least((SELECT min((SELECT min(r.submitted_at) FROM steadfast.ready r
                           WHERE r.queue = h.queue AND r.rank = h.rank))
                FROM heads h WHERE h.rank IS NOT NULL),
             (SELECT min(submitted_at) FROM steadfast.waiting WHERE run_at <= now())) AS oldest_pending
