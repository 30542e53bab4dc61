-- Deletes records of one kind by age or by count.
DELETE FROM steadfast.records WHERE number IN (
    SELECT number FROM steadfast.records
     WHERE kind = $1
       AND (at < now() - $2::bigint * interval '1 microsecond'
            OR $3::bigint IS NOT NULL AND number <= (SELECT number FROM steadfast.records WHERE kind = $1
                           ORDER BY number DESC OFFSET $3 LIMIT 1))
     ORDER BY number LIMIT $4
)
