"""Measure how long `carob split` takes to find the near-duplicates of a large corpus.

    python benchmarks/near_duplicates.py                      # 100,000 seminars, some minutes
    python benchmarks/near_duplicates.py --documents 10000

The corpus is generated: phrases are shared by thousands of documents, which is harder than real
text, and 7 % of the documents are reposts. Prints Markdown; exit status 1 if fewer than 99 % of the
documents that have or are a repost are found, or if a group holds different announcements.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter

from carob_lab.make.generate import generate
from carob_lab.plan.near_duplicates import NearDuplicates


def main() -> int:
    """Generate, look for near-duplicates, compare with the truth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--kind", default="seminars")
    arguments = parser.parse_args()
    print("generating ...", file=sys.stderr)
    corpus = generate(arguments.kind, arguments.documents, 0)
    start, cpu = time.perf_counter(), time.process_time()
    found = NearDuplicates()(corpus)
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    group = [corpus.documents.attributes["group"][row] for row in range(len(corpus))]
    truth = sum(number for number in Counter(group).values() if number > 1)
    mixed = sum(len({group[row] for row in rows}) > 1 for rows in found)
    share = sum(map(len, found)) / max(truth, 1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        "| corpus | documents | with a repost | found | mixed groups | CPU s | wall s | peak MiB |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    print(
        f"| {arguments.kind} | {len(corpus):,} | {truth:,} | {100 * share:.1f} % | {mixed} "
        f"| {cpu:.1f} | {wall:.1f} | {memory:,.0f} |"
    )
    return 0 if share > 0.99 and not mixed else 1


if __name__ == "__main__":
    sys.exit(main())
