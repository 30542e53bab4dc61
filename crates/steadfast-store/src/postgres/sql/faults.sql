SELECT at, record::text AS record FROM steadfast.faults WHERE task = $1 ORDER BY number
