INSERT INTO steadfast_policies (body) VALUES (?1) RETURNING number
