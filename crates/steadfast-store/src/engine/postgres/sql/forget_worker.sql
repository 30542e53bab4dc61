DELETE FROM steadfast.workers WHERE name = $1 AND instance = $2
