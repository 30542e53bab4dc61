-- An hour of them at a time.
DELETE FROM steadfast_sums
WHERE minute < min(?1, (SELECT min(minute) FROM steadfast_sums) + 3600000000)
