-- The rollups of the minute ?2, each a list.
INSERT INTO steadfast_sums (
    minute, policy_id, subsystem, sessions, successful, attempts, most_attempts, seconds
)
SELECT
    ?2,
    sum.value ->> 0,
    sum.value ->> 1,
    sum.value ->> 2,
    sum.value ->> 3,
    sum.value ->> 4,
    sum.value ->> 5,
    sum.value ->> 6
FROM json_each(?1) AS sum
