SELECT json_group_array(hex(id)) FROM steadfast_running WHERE version = ?1
