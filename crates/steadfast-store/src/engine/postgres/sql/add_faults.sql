INSERT INTO steadfast.faults (task, at, record)
SELECT g.task, now(), g.record::json FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS g (task, record, place)
 ORDER BY g.place
