-- How many have ended, and as how many they are counted.
SELECT (SELECT count(*) FROM steadfast_ended), (SELECT completed + failed + cancelled FROM steadfast_ends)
