"""The oracle of SARI: both definitions, one sentence at a time, written to be read.

Slow on purpose: loops, dictionaries, and fractions, so that nothing is rounded before the end. The
definitions are in docs/explanation/evaluation.md; `sari.py` was not looked at. A score lies between
0 and 100; that of a corpus is the mean of its sentences' scores. Tokens are what white space
parts, case kept.

Xu's script and tensor2tensor's `sari_hook` were not opened for this; that Xu's KEEP and DELETE take the
mean of one quotient for each n-gram is remembered, and matters only where a source repeats one.
"""

from collections import Counter
from fractions import Fraction


def list_ngrams(sentence: str, n: int) -> list[tuple[str, ...]]:
    tokens = sentence.split()
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def harmonic_mean(precision: Fraction, recall: Fraction) -> Fraction:
    if precision + recall == 0:
        return Fraction(0)
    return 2 * precision * recall / (precision + recall)


def plain_sari_xu2016(source: str, hypothesis: str, references: list[str]) -> float:
    """SARI of one sentence, 0 to 100, as Xu et al. (2016) released it."""
    assert references, "SARI needs a reference"
    total = Fraction(0)
    for n in (1, 2, 3, 4):
        in_source = Counter(list_ngrams(source, n))
        in_hypothesis = Counter(list_ngrams(hypothesis, n))
        in_references = Counter()
        for reference in references:
            in_references.update(list_ngrams(reference, n))

        added = {gram for gram in in_hypothesis if gram not in in_source}
        wanted = {gram for gram in in_references if gram not in in_source}
        right = {gram for gram in added if gram in wanted}
        precision = Fraction(len(right), len(added)) if added else Fraction(0)
        recall = Fraction(len(right), len(wanted)) if wanted else Fraction(0)
        add = harmonic_mean(precision, recall)

        precisions, recalls, deletions = [], [], []
        for gram, count in in_source.items():
            weight = Fraction(in_references[gram], len(references))
            kept = Fraction(min(count, in_hypothesis[gram]))
            to_keep = min(count, weight)
            deleted = Fraction(max(count - in_hypothesis[gram], 0))
            if kept > 0:
                precisions.append(min(kept, weight) / kept)
            if to_keep > 0:
                recalls.append(min(kept, weight) / to_keep)
            if deleted > 0:
                deletions.append(max(deleted - weight, Fraction(0)) / deleted)
        precision = sum(precisions) / Fraction(len(precisions)) if precisions else Fraction(0)
        recall = sum(recalls) / Fraction(len(recalls)) if recalls else Fraction(0)
        keep = harmonic_mean(precision, recall)
        delete = sum(deletions) / Fraction(len(deletions)) if deletions else Fraction(0)

        total += (add + keep + delete) / 3
    return float(100 * total / 4)


def plain_sari_geva2019(source: str, hypothesis: str, references: list[str]) -> float:
    """SARI of one sentence, 0 to 100, as Geva et al. (2019) and those after them report it."""
    assert references, "SARI needs a reference"
    total = Fraction(0)
    for n in (1, 2, 3, 4):
        in_source = set(list_ngrams(source, n))
        in_hypothesis = set(list_ngrams(hypothesis, n))
        holders = Counter()  # of a gram: how many references hold it
        long_enough = 0
        for reference in references:
            grams = set(list_ngrams(reference, n))
            holders.update(grams)
            if grams:
                long_enough += 1

        added = {gram for gram in in_hypothesis if gram not in in_source}
        wanted = {gram for gram in holders if gram not in in_source}
        right = {gram for gram in added if gram in wanted}
        precision = Fraction(len(right), len(added)) if added else Fraction(1)
        recall = Fraction(len(right), len(wanted)) if wanted else Fraction(1)
        add = harmonic_mean(precision, recall)

        kept = to_keep = kept_rightly = Fraction(0)
        deleted = to_delete = deleted_rightly = Fraction(0)
        for gram in in_source:
            weight = Fraction(holders[gram], long_enough) if long_enough else Fraction(0)
            to_keep += weight
            to_delete += 1 - weight
            if gram in in_hypothesis:
                kept += 1
                kept_rightly += weight
            else:
                deleted += 1
                deleted_rightly += 1 - weight
        precision = kept_rightly / kept if kept else Fraction(1)
        recall = kept_rightly / to_keep if to_keep else Fraction(1)
        keep = harmonic_mean(precision, recall)
        precision = deleted_rightly / deleted if deleted else Fraction(1)
        recall = deleted_rightly / to_delete if to_delete else Fraction(1)
        delete = harmonic_mean(precision, recall)

        total += (add + keep + delete) / 3
    return float(100 * total / 4)
