"""Training: turns one TOML file into a run folder, with the Hugging Face Trainer."""

from emendo.errors import require

require("emendo.training", "train", "torch", "transformers", "accelerate", "datasets")
