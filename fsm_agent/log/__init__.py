"""The append-only log of a session, its lock, its blobs and projections.

disk         the few calls of the file system that writing needs; one that fails them
lock         one writer a session
writing      one batch, one write; never a hole
proof        lines up to a seal, and whether it proves them
reading      the proved batches of a log, and its torn tail
salvage      what still proves out of a damaged log
listing      what of a log can be read at all, for lists and previews
blobs        large texts and files, named by their SHA-256
projections  files that can be made again from the log
"""
