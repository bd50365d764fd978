"""Measure how long `carob split` takes to find the near-duplicates of a large corpus.

    python benchmarks/near_duplicates.py                      # 100,000 seminars, some minutes
    python benchmarks/near_duplicates.py --documents 10000

The corpus is generated: phrases are shared by thousands of documents, which is harder than real
text, and 7 % of the documents are posted again. Prints Markdown; exit status 1 if the groups that
are found are not those of the generator.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import defaultdict

from carob.evaluate.generate import generate
from carob.experiment.near_duplicates import NearDuplicates


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
    groups = defaultdict(list)
    for row in range(len(corpus)):
        groups[corpus.documents.attributes["group"][row]].append(row)
    truth = [rows for rows in groups.values() if len(rows) > 1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("| corpus | documents | in groups | CPU s | wall s | peak MiB |")
    print("|---|--:|--:|--:|--:|--:|")
    print(
        f"| {arguments.kind} | {len(corpus):,} | {sum(map(len, found)):,} | {cpu:.1f} | {wall:.1f} "
        f"| {memory:,.0f} |"
    )
    same = sorted(map(sorted, found)) == sorted(truth)
    if not same:
        print(f"the generator has {sum(map(len, truth)):,} in groups", file=sys.stderr)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
