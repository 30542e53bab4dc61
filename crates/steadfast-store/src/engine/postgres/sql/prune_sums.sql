-- An hour of them at a time.
DELETE FROM steadfast.sums
 WHERE minute < least((extract(epoch FROM now()) * 1000000)::bigint - $1::bigint,
                      (SELECT min(minute) FROM steadfast.sums) + 3600000000)
