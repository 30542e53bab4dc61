-- A page of definitions, newest first, up to a number of bytes. Only lengths are summed; texts are read for
-- the returned rows.
SELECT id AS number, name, body, kept_at
  FROM (
    SELECT w.*, sum(octet_length(w.body)) OVER (ORDER BY w.id DESC) - octet_length(w.body) AS before
      FROM (
        SELECT id, name, body, kept_at FROM steadfast.workflows
         WHERE $1::bigint IS NULL OR id < $1
         ORDER BY id DESC LIMIT $2
      ) w
  ) sized
 WHERE before < $3
 ORDER BY id DESC
