-- Goes on with the number, and with more conditions.
SELECT number, at, actor, origin, action, target, detail
FROM steadfast_audit
WHERE number <
