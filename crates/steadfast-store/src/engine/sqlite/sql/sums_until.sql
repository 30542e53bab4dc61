SELECT until FROM steadfast_summed
