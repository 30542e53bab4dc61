INSERT INTO steadfast.sums (minute, policy_id, subsystem, sessions, successful, attempts, most_attempts, seconds)
SELECT $1, s.*
  FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::float8[]) AS s
