-- The locked rows up to a number of payload bytes. Replaces `locked` in a claim with a byte limit.
SELECT sized.*
  FROM (
    SELECT f.*, sum(octet_length(t.payload)) OVER (ORDER BY f.rank, f.submitted_at, f.id)
               - octet_length(t.payload) AS before
      FROM locked AS f JOIN steadfast.tasks t ON t.id = f.id
  ) AS sized
 WHERE before < /* bytes */
