-- The conditions of one category.
(r.category, r.rank, r.submitted_at, r.id) > (source.category, source.rank, source.submitted_at, source.id)
AND r.category <= source.category
AND NOT EXISTS (
    SELECT FROM steadfast.holds h WHERE h.queue = source.queue AND h.category = source.category AND h.until > now())
