-- Of minutes that are still to come.
DELETE FROM steadfast.sums WHERE minute >= $1
