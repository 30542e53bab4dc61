INSERT INTO steadfast.policies (digest, body) VALUES (sha256(convert_to($1, 'UTF8')), $1::json)
ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest
RETURNING id
