"""How a model is made: one TOML in, a run folder out. Stands on the Hugging Face Trainer."""

from emendo.errors import require

require("emendo.training", "train", "torch", "transformers", "accelerate", "datasets")
