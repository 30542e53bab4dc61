-- The line of a whole queue.
(r.rank, r.submitted_at, r.id) > (line.rank, line.submitted_at, line.id)
AND (r.category IS NULL OR r.category <> ALL (ARRAY(
    SELECT h.category FROM steadfast.holds h WHERE h.queue = line.queue AND h.until > now())))
