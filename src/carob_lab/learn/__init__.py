"""Learners, one file each: from documents with filled slots to a model that fills them."""
