"""The language server: what is wrong in an open document, and how to put it right; torch-free."""

from emendo.errors import require

require("emendo.lsp", "lsp", "pygls", "lsprotocol", "pylatexenc")
