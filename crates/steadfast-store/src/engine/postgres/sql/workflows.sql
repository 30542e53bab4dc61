-- A page of workflows, newest first, until there are so many bytes of their texts. What is summed
-- are lengths; texts are read for those that are answered.
SELECT id, name, body, kept_at
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
