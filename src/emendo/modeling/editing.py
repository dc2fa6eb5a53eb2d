"""The network that the Trainer trains: scores, glancing and the loss in one forward pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from transformers.utils.generic import ModelOutput

from emendo.ctc.alphabet import BLANK
from emendo.ctc.greedy import decide, undecided
from emendo.errors import ConfigError
from emendo.labels import NO_LABEL
from emendo.modeling.config import FLAT, CopyCTCConfig
from emendo.modeling.ctc_loss import (
    Targets,
    ctc_loss,
    folded_emissions,
    three_way_log_probs,
)
from emendo.modeling.encoder import load_encoder
from emendo.modeling.glancing import (
    GoldSlots,
    UsualSlots,
    glance,
    gold_ids,
    gold_operations,
    path_labels,
)
from emendo.modeling.lexicon import (
    LexicalHead,
    LexicalScores,
    Words,
    lexical_scores,
    top_words,
)
from emendo.modeling.model import CopyCTCModel, CopyCTCPreTrainedModel
from emendo.modeling.viterbi import best_columns

if TYPE_CHECKING:
    from pathlib import Path

    from emendo.modeling.lexicon import TopWords
    from emendo.modeling.model import CopyCTCOutput
    from emendo.text import TextTokenizer

_SCORE_SPREAD = 1.5


@dataclass
class EditingOutput(ModelOutput):
    """What one pass says, and how far it is from the target."""

    loss: Tensor | None = None
    """Summed −log P of the targets, divided by the number of labels."""
    three_way: Tensor | None = None
    """[B, S, 3] log-probabilities of KEEP, BLANK and ADD."""
    slot_states: Tensor | None = None
    """[B, S, H]"""
    unfit: Tensor | None = None
    """Sentences whose target has no path; they add nothing to the loss."""


class CopyCTCForEditing(CopyCTCPreTrainedModel):
    """`CopyCTCModel` with its lexical head and its loss."""

    # The Trainer then gives the number of labels in the whole step, to divide the loss by.
    accepts_loss_kwargs = True

    def __init__(self, config: CopyCTCConfig) -> None:
        super().__init__(config)
        self.model = CopyCTCModel(config)
        self.lexicon = LexicalHead(
            config.hidden_size, config.vocab_size, getattr(config.encoder, "layer_norm_eps", 1e-5)
        )
        self.gold_slots = GoldSlots(config.hidden_size) if config.slot_positions else None
        self.post_init()

    @classmethod
    def from_encoder(
        cls, encoder: str | Path, tokenizer: TextTokenizer, **options: Any
    ) -> CopyCTCForEditing:
        """Build a network over a pretrained encoder; until it is trained it keeps everything.

        Args:
            encoder: A model name or a folder.
            tokenizer: The encoder's tokenizer.
            **options: What `CopyCTCConfig` takes; `slot_positions` is true if not given.
        """
        pretrained = load_encoder(encoder, tokenizer.vocab_size)
        rows = pretrained.config.vocab_size
        config = CopyCTCConfig(
            pretrained.config,
            # Some checkpoints pad their embeddings with rows that no token has.
            forbidden_ids=[*tokenizer.forbidden_ids, *range(tokenizer.vocab_size, rows)],
            rep_id=tokenizer.rep_id,
            mask_id=tokenizer.mask_id,
            **{"slot_positions": True, **options},
        )
        model = cls(config)
        model.model.encoder = pretrained
        with torch.no_grad():
            # Scores of words then start about as far apart as those of a trained model.
            length = model.get_input_embeddings().weight.norm(dim=1).mean()
            model.lexicon.norm.weight.fill_(_SCORE_SPREAD / length)
        return model

    def get_input_embeddings(self) -> nn.Embedding:
        """Return the token embeddings, which the lexical head shares."""
        return self.model.get_input_embeddings()

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        keep_ids: Tensor,
        labels: Tensor | None = None,
        lexical_mask: Tensor | None = None,
        num_items_in_batch: Tensor | int | None = None,
    ) -> EditingOutput:
        """Score a batch, and with labels also its loss.

        Args:
            input_ids: [B, N] source tokens.
            attention_mask: [B, N] 0 for padding, which stands on the right.
            keep_ids: [B, N] the label KEEP stands for, NO_LABEL at edges and padding.
            labels: [B, M] target labels, -100 where padded.
            lexical_mask: [B, N] source tokens at whose slots words may be added; everywhere
                else only KEEP and BLANK can emit. A lower bound of the likelihood, and cheaper.
            num_items_in_batch: Labels of the whole step, over all devices and accumulated
                batches; those of this batch if not given.
        """
        if self.training and self.config.keep_dropout:
            is_written = self._to_write(keep_ids)
            keep_ids = keep_ids.masked_fill(is_written, NO_LABEL)
            if lexical_mask is not None:
                lexical_mask = (lexical_mask != 0) | is_written
        slot_keep_ids = self.slot_keep_ids(keep_ids)
        is_slot = self.per_slot(attention_mask != 0)
        may_add = is_slot if lexical_mask is None else is_slot & self.per_slot(lexical_mask != 0)
        if lexical_mask is not None and self.config.head == FLAT:
            raise ConfigError(
                "lexical_mask needs the factored head: a flat softmax is normalised over all words"
            )
        if lexical_mask is not None and not self.config.use_keep:
            raise ConfigError("lexical_mask needs KEEP: vanilla CTC has to write every word")
        words = None if labels is None else self._words()
        embeddings = self._embed(input_ids, words) if self.training and words else None
        states = self.model.encode(input_ids, attention_mask, embeddings)
        slots = self.model.upsampler(states)
        if labels is None or words is None:
            output = self.model.refine(slots, states, attention_mask)
            three_way = self.three_way_log_probs(output, slot_keep_ids, is_slot)
            return EditingOutput(three_way=three_way, slot_states=output.slot_states)

        targets = Targets.of(labels)
        if self.training and self.config.lexical_sample:
            known = targets.labels[self._is_word(targets)]
            words = words.sampled(known, self.config.lexical_sample)
        lengths = is_slot.sum(dim=1)
        is_glancing = self.training and self.config.glancing
        if is_glancing:
            with torch.no_grad():
                output = self.model.refine(slots, states, attention_mask)
                three_way, emissions = self.emissions(
                    output, slot_keep_ids, targets, may_add, words
                )
                columns, fits = best_columns(emissions, targets, lengths)
                gold = path_labels(columns, targets)
                guess = self.guess(output, three_way, slot_keep_ids, may_add, words)
                # A target without a path has nothing to show.
                shown = glance(gold, guess, is_slot & fits.unsqueeze(1), self.config.glancing)
            # Older versions of torch reuse the weights that autocast cast in the pass above, which
            # have no gradient (pytorch#112583).
            torch.clear_autocast_cache()
            slots = self._show(
                slots, shown, gold, input_ids, slot_keep_ids, attention_mask != 0, words
            )
        output = self.model.refine(slots, states, attention_mask)
        three_way, emissions = self.emissions(output, slot_keep_ids, targets, may_add, words)
        losses, unfit = ctc_loss(emissions, targets, lengths)
        count = targets.lengths.sum()
        if num_items_in_batch is None:
            num_items_in_batch = count.clamp(min=1)
        # A target without a path counts neither above nor below the line.
        fitting = (targets.lengths * ~unfit).sum()
        # Empty targets have a loss, but no labels.
        more = torch.where(fitting > 0, count / fitting.clamp(min=1), 1.0)
        loss = losses.sum() * more / num_items_in_batch
        if self.gold_slots is not None and not is_glancing:
            # DDP waits for a gradient of every parameter, of those that nothing uses, too.
            loss = loss + 0.0 * sum(each.sum() for each in self.gold_slots.parameters())
        return EditingOutput(
            loss=loss,
            three_way=three_way,
            slot_states=output.slot_states,
            unfit=unfit.sum(),
        )

    def slot_keep_ids(self, keep_ids: Tensor) -> Tensor:
        """Return [B, S] the label KEEP stands for at each slot; vanilla CTC has none."""
        slot_keep_ids = self.per_slot(keep_ids)
        return slot_keep_ids if self.config.use_keep else torch.full_like(slot_keep_ids, NO_LABEL)

    def _show(
        self,
        slots: Tensor,
        shown: Tensor,
        gold: Tensor,
        input_ids: Tensor,
        slot_keep_ids: Tensor,
        is_token: Tensor,
        words: Words,
    ) -> Tensor:
        """Replace [B, S, H] slots by what is gold there, wherever [B, S] `shown` is true."""
        sentence, slot = shown.nonzero(as_tuple=True)
        ids = gold_ids(gold, self.per_slot(input_ids), slot_keep_ids, self.config.mask_id)
        answers = self._embed(ids[sentence, slot], words)
        if self.gold_slots is not None:
            operations = gold_operations(gold, slot_keep_ids)[sentence, slot]
            usual = UsualSlots.of(slots, is_token).at(sentence, slot)
            answers = self.gold_slots(answers, operations, usual)
        place = sentence * slots.shape[1] + slot
        answers = answers.to(slots.dtype)
        return slots.flatten(0, 1).index_copy(0, place, answers).view_as(slots)

    def _to_write(self, keep_ids: Tensor) -> Tensor:
        """Draw [B, N] source tokens that may not be kept; a spelling that only KEEP gives, may."""
        is_drawn = torch.rand(keep_ids.shape, device=keep_ids.device) < self.config.keep_dropout
        # Such spellings are numbered from the tokenizer's size, and the embeddings may have more
        # rows, which ADD may not write either.
        forbidden = torch.tensor(self.config.forbidden_ids, device=keep_ids.device)
        can_be_written = (keep_ids < self.config.vocab_size) & ~torch.isin(keep_ids, forbidden)
        return is_drawn & can_be_written

    def three_way_log_probs(
        self, output: CopyCTCOutput, slot_keep_ids: Tensor, is_slot: Tensor
    ) -> Tensor:
        """Return [B, S, 3] log P of KEEP, BLANK and ADD at every slot."""
        normalizer = None
        if self.config.head == FLAT:
            rows = is_slot.flatten().nonzero().squeeze(1)
            no_labels = rows.new_zeros((1, 1))
            scores = self._scores(output, no_labels, rows, torch.zeros_like(rows), self._words())
            normalizer = self._spread(scores.normalizer, rows, is_slot)
        return three_way_log_probs(output.three_way, slot_keep_ids, normalizer)

    def look_up(
        self, slot_states: Tensor, labels: Tensor, words: Words | None = None, *, k: int = 1
    ) -> TopWords:
        """Return the k likeliest words at [R, H] slot states, and how likely [R, L] labels are."""
        return top_words(self.lexicon(slot_states), words or self._words(), labels, k=k)

    def _words(self) -> Words:
        weight = self.get_input_embeddings().weight
        forbidden = torch.tensor(self.config.forbidden_ids, dtype=torch.int64, device=weight.device)
        return Words.of(weight, self.lexicon.bias.index_fill(0, forbidden, float("-inf")))

    def _embed(self, ids: Tensor, words: Words) -> Tensor:
        """Look up tokens as the encoder does; only a plain table's gradient can be that of rows."""
        table = self.get_input_embeddings()
        if type(table) is not nn.Embedding:
            return table(ids)
        return words.look_up(ids, table.padding_idx)

    def per_slot(self, values: Tensor) -> Tensor:
        """Repeat [B, N] values of source tokens for their [B, S] slots."""
        return values.repeat_interleave(self.config.upsampling, dim=1)

    def _scores(
        self, output: CopyCTCOutput, labels: Tensor, rows: Tensor, owner: Tensor, words: Words
    ) -> LexicalScores:
        queries = self.lexicon(output.slot_states.flatten(0, 1)[rows])
        return lexical_scores(queries, words, labels, owner, tail=self.config.lexical_tail)

    def _is_word(self, targets: Targets) -> Tensor:
        return (targets.labels >= 0) & (targets.labels < self.config.vocab_size)

    @staticmethod
    def _spread(values: Tensor, rows: Tensor, like: Tensor) -> Tensor:
        return values.new_zeros(like.numel()).index_copy(0, rows, values).view(like.shape)

    def emissions(
        self,
        output: CopyCTCOutput,
        slot_keep_ids: Tensor,
        targets: Targets,
        may_add: Tensor,
        words: Words | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Return [B, S, 3] log-probabilities and the [B, S, 1+M] folded emissions."""
        rows = may_add.flatten().nonzero().squeeze(1)
        owner = rows // may_add.shape[1]
        is_word = self._is_word(targets)
        known = targets.labels * is_word
        scores = self._scores(output, known, rows, owner, words or self._words())
        # A spelling that only KEEP can give, and padding, cannot be added.
        scores = scores._replace(labels=scores.labels.masked_fill(~is_word[owner], float("-inf")))
        normalizer = None
        if self.config.head == FLAT:
            normalizer = self._spread(scores.normalizer, rows, may_add)
        three_way = three_way_log_probs(output.three_way, slot_keep_ids, normalizer)
        return three_way, folded_emissions(three_way, scores, rows, slot_keep_ids, targets)

    def guess(
        self,
        output: CopyCTCOutput,
        three_way: Tensor,
        slot_keep_ids: Tensor,
        may_add: Tensor,
        words: Words | None = None,
    ) -> Tensor:
        """Return [B, S] the labels of the greedy path."""
        chances = three_way.exp()
        rows = (undecided(chances) & may_add).flatten().nonzero().squeeze(1)
        states, own_ids = output.slot_states.flatten(0, 1), slot_keep_ids.flatten()
        top = self.look_up(states[rows], own_ids[rows].unsqueeze(1), words)
        own, best = (
            self._spread(part.exp().to(chances.dtype), rows, may_add)
            for part in (top.labels[:, 0], top.scores[:, 0])
        )
        likeliest = self._spread(top.ids[:, 0], rows, may_add)
        is_keep, is_blank = decide(chances, own, best)
        return torch.where(is_keep, slot_keep_ids, torch.where(is_blank, BLANK, likeliest))
