-- Looks at no more than the oldest so many, whether they are old enough or not.
DELETE FROM steadfast_records
WHERE number IN (SELECT number FROM steadfast_records WHERE kind = ?1 ORDER BY number LIMIT ?3)
    AND at < ?2
