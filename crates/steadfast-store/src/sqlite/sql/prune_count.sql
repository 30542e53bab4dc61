SELECT count(*) FROM steadfast_ended
