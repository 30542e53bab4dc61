-- Goes on with more conditions: an index is only seen where it is said what is wanted.
SELECT number, at, actor, source, action, target, detail::text AS detail FROM steadfast.audit
 WHERE number <
