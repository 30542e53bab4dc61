UPDATE steadfast_summed SET until = ?2 WHERE until = ?1
