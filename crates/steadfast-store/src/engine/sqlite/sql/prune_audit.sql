-- Looks at no more than the oldest so many, whether they are old enough or not.
DELETE FROM steadfast_audit
WHERE number IN (SELECT number FROM steadfast_audit ORDER BY number LIMIT ?2)
    AND at < ?1
RETURNING number, action
