-- Of those that were found, the first whose payloads have so many bytes. It stands for `found`
-- in a claim that wants no more.
SELECT sized.*
  FROM (
    SELECT f.*, sum(octet_length(t.payload)) OVER (ORDER BY f.rank, f.submitted_at, f.id)
               - octet_length(t.payload) AS before
      FROM locked AS f JOIN steadfast.tasks t ON t.id = f.id
  ) AS sized
 WHERE before < /* bytes */
