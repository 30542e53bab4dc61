-- Whose the keys are, and whether it is the same work.
SELECT g.id, x.id, x.key, x.workflow = g.workflow AND x.started_with = g.started_with
  FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[]) AS g (id, key, workflow, started_with)
  JOIN steadfast.executions x ON x.key = g.key
