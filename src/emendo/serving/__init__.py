"""The HTTP server: a native API, and the one that LanguageTool's clients speak; torch-free."""

from emendo.errors import require

require("emendo.serving", "serve", "fastapi", "uvicorn", "httptools", "prometheus_client")
