SELECT until FROM steadfast.summed
