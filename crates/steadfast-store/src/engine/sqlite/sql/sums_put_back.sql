-- Of minutes that are still to come.
DELETE FROM steadfast_sums WHERE minute >= ?1
