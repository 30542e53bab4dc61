-- A page of definitions, newest first, up to a number of bytes. Only lengths are summed; texts are read for
-- the returned rows.
SELECT number, name, (SELECT body FROM steadfast_workflows WHERE number = sized.number) AS body, kept_at
FROM (
    SELECT number, name, kept_at, sum(bytes) OVER (ORDER BY number DESC) - bytes AS before
    FROM (
        SELECT number, name, kept_at, octet_length(body) AS bytes FROM steadfast_workflows
        WHERE number < coalesce(?1, 9223372036854775807)
        ORDER BY number DESC
        LIMIT ?2
    )
) AS sized
WHERE before < ?3
ORDER BY number DESC
