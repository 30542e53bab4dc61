-- A page of workflows, newest first, until there are so many bytes of their texts. What is summed
-- are lengths; texts are read for those that are answered.
SELECT number, name, (SELECT body FROM steadfast_workflows WHERE number = sized.number), kept_at
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
