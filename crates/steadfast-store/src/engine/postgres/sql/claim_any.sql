-- The conditions of a whole queue.
(r.rank, r.submitted_at, r.id) > (source.rank, source.submitted_at, source.id)
AND (r.category IS NULL OR r.category <> ALL (ARRAY(
    SELECT h.category FROM steadfast.holds h WHERE h.queue = source.queue AND h.until > now())))
