SELECT body FROM steadfast_policies WHERE number = ?1
