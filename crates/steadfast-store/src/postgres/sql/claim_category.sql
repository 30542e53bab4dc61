r.category = line.category AND NOT EXISTS (
    SELECT FROM steadfast.holds h WHERE h.queue = line.queue AND h.category = line.category AND h.until > now())
