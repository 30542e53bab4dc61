SELECT number FROM steadfast_policies WHERE body = ?1
