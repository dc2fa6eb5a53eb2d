"""The HTTP server: a native API, and that of LanguageTool; torch-free."""

from emendo.errors import require

require("emendo.serving", "serve", "fastapi", "uvicorn", "httptools", "prometheus_client")
