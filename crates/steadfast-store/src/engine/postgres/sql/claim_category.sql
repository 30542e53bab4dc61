-- The line of a category.
(r.category, r.rank, r.submitted_at, r.id) > (line.category, line.rank, line.submitted_at, line.id)
AND r.category <= line.category
AND NOT EXISTS (
    SELECT FROM steadfast.holds h WHERE h.queue = line.queue AND h.category = line.category AND h.until > now())
