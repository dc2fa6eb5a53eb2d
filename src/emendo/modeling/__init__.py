"""The network, its loss, and its use as an inference backend: torch and transformers."""

from emendo.errors import require

require("emendo.modeling", "train", "torch", "transformers")

from transformers import AutoConfig, AutoModel

from emendo.modeling.config import CopyCTCConfig
from emendo.modeling.editing import CopyCTCForEditing, EditingOutput
from emendo.modeling.model import CopyCTCModel, CopyCTCOutput
from emendo.modeling.torch_backend import TorchBackend

# `AutoModel.from_pretrained` then finds a saved network by its model type.
AutoConfig.register(CopyCTCConfig.model_type, CopyCTCConfig, exist_ok=True)
AutoModel.register(CopyCTCConfig, CopyCTCModel, exist_ok=True)

__all__ = [
    "CopyCTCConfig",
    "CopyCTCForEditing",
    "CopyCTCModel",
    "CopyCTCOutput",
    "EditingOutput",
    "TorchBackend",
]
