UPDATE steadfast.summed SET until = $1
