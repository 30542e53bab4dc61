SELECT json_group_array(json_array(hex(id), faults))
FROM (
    SELECT id, faults FROM steadfast_packed WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2
)
