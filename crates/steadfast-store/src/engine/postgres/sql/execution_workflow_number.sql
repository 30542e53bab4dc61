INSERT INTO steadfast.workflows (digest, name, body) VALUES (sha256(convert_to($2, 'UTF8')), $1, $2)
ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest
RETURNING id
