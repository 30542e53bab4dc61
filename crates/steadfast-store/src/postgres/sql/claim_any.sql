(r.category IS NULL OR r.category <> ALL (ARRAY(
    SELECT h.category FROM steadfast.holds h WHERE h.queue = line.queue AND h.until > now())))
