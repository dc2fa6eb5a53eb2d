"""What a network is: everything needed to build it again and to read its scores."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from transformers import AutoConfig, PretrainedConfig

from emendo.bundle.format import CORRECTION
from emendo.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

FACTORED, FLAT = "factored", "flat"
# Encoders that number positions from after the padding token's id, as RoBERTa does.
_POSITIONS_AFTER_PADDING = frozenset(
    {
        "camembert",
        "data2vec-text",
        "ibert",
        "longformer",
        "luke",
        "mpnet",
        "roberta",
        "roberta-prelayernorm",
        "xlm-roberta",
        "xlm-roberta-xl",
        "xmod",
    }
)


class CopyCTCConfig(PretrainedConfig):
    """Configuration of `CopyCTCModel` and `CopyCTCForEditing`."""

    model_type = "emendo-copy-ctc"
    # The Trainer collects what is not named here, for all of an evaluation set.
    keys_to_ignore_at_inference = ["three_way", "slot_states", "unfit"]  # noqa: RUF012

    def __init__(  # noqa: PLR0913 - a network has this many properties
        self,
        encoder: dict[str, Any] | PretrainedConfig | None = None,
        *,
        upsampling: int = 4,
        decoder_layers: int = 2,
        slot_positions: bool = False,
        head: str = FACTORED,
        use_keep: bool = True,
        forbidden_ids: Sequence[int] = (),
        rep_id: int | None = None,
        mask_id: int | None = None,
        source_dropout: float = 0.1,
        keep_dropout: float = 0.0,
        glancing: float = 1.0,
        lexical_tail: float = 1e-3,
        lexical_sample: int | None = None,
        task: str = CORRECTION,
        **kwargs: Any,
    ) -> None:
        """Describe a network.

        Args:
            encoder: Configuration of the pretrained encoder, as `AutoConfig` writes it.
            upsampling: T, slots for each source token.
            decoder_layers: Transformer layers over the slots.
            slot_positions: The decoder reads where slots stand, and glancing shows a word with its
                place and operation. New networks have them; networks that were saved without
                this field do not, so its default is False.
            head: "factored", a three-way choice and then a word, or "flat", the paper's one
                softmax over all words, KEEP and BLANK.
            use_keep: False for vanilla CTC, where every word is written anew.
            forbidden_ids: Vocabulary entries that ADD may not write.
            rep_id: The separator between equal neighbours.
            mask_id: What a glanced BLANK looks like to the decoder.
            source_dropout: Share of source tokens hidden from the encoder in training.
            keep_dropout: Share of source tokens that training may not keep, and has to write, so
                that words are learnt elsewhere than near changes, too.
            glancing: τ; the chance of seeing a gold token is this times the share of slots
                that are wrong. 0 trains without glancing.
            lexical_tail: Share of the words' gradient, spread over the slots where ADD is
                unlikely, that training may leave out. 0 is exact.
            lexical_sample: In training, so many words drawn anew for each batch stand for all
                that do not occur in it. None takes all words.
            task: What it is trained to do, "correction" or "fusion"; its bundle says the same.
            **kwargs: What every `PretrainedConfig` takes.
        """
        if head not in (FACTORED, FLAT):
            raise ConfigError(f"head is {head!r}; it must be {FACTORED!r} or {FLAT!r}")
        if isinstance(encoder, dict):
            encoder = AutoConfig.for_model(**encoder)
        # Any kind of encoder, each with a configuration class of its own.
        self.encoder: Any = encoder
        self.upsampling = upsampling
        self.decoder_layers = decoder_layers
        self.slot_positions = slot_positions
        self.head = head
        self.use_keep = use_keep
        self.forbidden_ids = list(forbidden_ids)
        self.rep_id = rep_id
        self.mask_id = mask_id
        self.source_dropout = source_dropout
        self.keep_dropout = keep_dropout
        self.glancing = glancing
        self.lexical_tail = lexical_tail
        self.lexical_sample = lexical_sample
        self.task = task
        super().__init__(**kwargs)

    @property
    def hidden_size(self) -> int:
        """Width of the encoder, and so of everything after it."""
        return int(self.encoder.hidden_size)

    @property
    def vocab_size(self) -> int:
        """Rows of the encoder's embeddings."""
        return int(self.encoder.vocab_size)

    @property
    def max_tokens(self) -> int:
        """Source tokens, edges included, that the encoder has positions for."""
        positions = getattr(self.encoder, "max_position_embeddings", None)
        if positions is None:
            return sys.maxsize
        counts_from_padding = self.encoder.model_type in _POSITIONS_AFTER_PADDING
        return int(positions) - (self.encoder.pad_token_id + 1 if counts_from_padding else 0)
