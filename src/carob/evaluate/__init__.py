"""The public verbs, one file each: the only place that knows the order of the stages."""
