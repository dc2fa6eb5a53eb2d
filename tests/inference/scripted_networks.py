"""Networks whose every answer is written down: what is kept, and what is written instead."""

import numpy as np

from emendo.ctc import Alphabet
from emendo.inference import NetworkOutput, WordScores
from emendo.labels import NO_LABEL

KEEP, BLANK, ADD = np.log(np.maximum(np.eye(3), 1e-9))


class ScriptedBackend:
    """Keeps everything, but writes `new` for the words it was told to replace."""

    max_tokens = 512

    def __init__(self, tokenizer, replacements):
        self.alphabet = Alphabet(tokenizer.vocab_size, 2)
        self.replacements = {
            tuple(tokenizer.encode(old).ids[1:-1]): tokenizer.encode(new).ids[1:-1]
            for old, new in replacements.items()
        }
        self.seen = []

    def run(self, batch):
        self.seen.append(len(batch.input_ids))
        slots = np.where((batch.keep_ids == NO_LABEL)[..., None], BLANK, KEEP)
        three_way = np.repeat(slots, 2, axis=1)
        # A slot's state is the token to write there.
        states = np.zeros((*three_way.shape[:2], 1))
        for b, row in enumerate(batch.input_ids):
            for old, new in self.replacements.items():
                for n in range(len(row) - len(old) + 1):
                    if tuple(row[n : n + len(old)]) == old:
                        three_way[b, 2 * n : 2 * (n + len(old))] = BLANK
                        for k, token in enumerate(new):
                            three_way[b, 2 * n + k] = ADD
                            states[b, 2 * n + k] = token
        return NetworkOutput(three_way, states)

    def look_up(self, states, labels):
        certain = np.zeros((len(states), 1))
        return WordScores(states.astype(np.int64), certain, np.where(labels == states, 0, -np.inf))


class ChanceBackend(ScriptedBackend):
    """Keeps everything but one word: what its slots hold is up to chance.

    For each slot, the chances of KEEP and BLANK, and of the tokens that ADD may write.
    """

    def __init__(self, tokenizer, word, *slots):
        super().__init__(tokenizer, {})
        self.word, self.slots = piece(tokenizer, word), slots
        self.looked_up = 0

    def run(self, batch):
        output = super().run(batch)
        for b, n in np.argwhere(batch.input_ids == self.word):
            for k, (keep, blank, words) in enumerate(self.slots):
                chances = np.maximum([keep, blank, sum(words.values())], 1e-9)
                output.three_way[b, 2 * n + k] = np.log(chances)
                output.states[b, 2 * n + k] = k + 1
        return output

    def look_up(self, states, labels):
        self.looked_up += len(states)
        tables = [{}, *(words for _, _, words in self.slots)]
        most = max(map(len, tables))
        ids, top = np.zeros((len(states), most), np.int64), np.full((len(states), most), 1e-30)
        own = np.zeros(labels.shape)
        for row, (state, asked) in enumerate(zip(states[:, 0], labels.tolist(), strict=True)):
            words = tables[int(state)]
            total = sum(words.values())
            best = sorted(words, key=words.get, reverse=True)
            ids[row, : len(best)] = best
            top[row, : len(best)] = [words[each] / total for each in best]
            own[row] = [words[each] / total if each in words else 0.0 for each in asked]
        with np.errstate(divide="ignore"):
            return WordScores(ids, np.log(top), np.log(own))


def piece(tokenizer, word):
    """The token of a word that is a single one."""
    (token,) = tokenizer.encode(word).ids[1:-1]
    return int(token)


def unsure_of_a_cat(tokenizer):
    """In place of *cat* it writes *dog*, or else *fox*, unless it keeps or deletes the word."""
    dog, fox, cat = (piece(tokenizer, word) for word in ("dog", "fox", "cat"))
    words = {dog: 0.42, fox: 0.21, cat: 0.07}
    return ChanceBackend(tokenizer, "cat", (0.2, 0.1, words), (0.0, 1.0, {}))
