SELECT
    ended.id, ended.status, ended.ended_at,
    (SELECT body FROM steadfast_packed WHERE id = ended.id) AS packed,
    (
        SELECT json_group_array(json_array(at, body))
        FROM (SELECT at, body FROM steadfast_faults WHERE id = ended.id ORDER BY number)
    ) AS faults
FROM steadfast_ended AS ended INDEXED BY steadfast_ended_loose
WHERE ended.loose = 1 AND ended.ended_at < ?1
ORDER BY ended.ended_at
LIMIT ?2
