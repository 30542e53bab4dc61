DELETE FROM steadfast_holds WHERE until <= ?1
