INSERT INTO steadfast_running (id, version) SELECT unhex(value), ?2 FROM json_each(?1)
