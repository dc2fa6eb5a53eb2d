.PHONY: help ci test bars mutants integration format docs lock sbom base report screenshots
# Seconds of hostile and friendly load together, in `make integration`.
ATTACKED ?= 7200
help:  ## List the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/'
ci:  ## All checks that a change must pass, from an empty environment
	bash .ci/run
test:  ## The tests, in the current environment
	OMP_NUM_THREADS=1 python -m pytest -n 2 --dist loadfile -m "not bar and not quiet" --ignore tests/training
	OMP_NUM_THREADS=1 python -m pytest tests/training
bars:  ## The short form of every benchmark, compared with its limit; needs an idle machine
	python -m pytest -s -m "bar or quiet"
mutants:  ## Plant small bugs in the core and count those that no test notices; takes more than an hour
	python -m tests.mutants.run
integration:  ## The long forms: ten thousand documents, thousands of requests, kills, overload, a soak, two hours of attacks, Neovim, VS Code
	EMENDO_LONG=1 python -m pytest --timeout 3600 tests/inference/test_editor.py tests/text/test_lossless.py tests/parity tests/evaluation/test_errant_edits.py tests/serving tests/lsp tests/batch tests/deploy tests/security/test_parser_time.py
	python benchmarks/serve_soak.py --overload 60 --seconds 1200
	python benchmarks/serve_mixed.py --model models/emendo-en/src/emendo_en/bundle --seconds $(ATTACKED)
format:  ## Format, and fix lint errors automatically
	ruff format . && ruff check --fix .
docs:  ## The documentation site, into site; a warning is an error
	zensical build --strict
lock:  ## The image's packages with their hashes, into docker (pip install --group image)
	uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --custom-compile-command "make lock" \
		pyproject.toml --extra serve --extra openvino --output-file docker/image.txt
	python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'], sep='\n')" | \
		uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --custom-compile-command "make lock" \
		- --output-file docker/build.txt
sbom:  ## The image's packages as CycloneDX, into emendo.cdx.json (pip install --group image)
	cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --output-file emendo.cdx.json docker/image.txt
base:  ## Pin the base image by its current digest in the registry (needs docker)
	digest=$$(docker buildx imagetools inspect python:3.12-slim --format '{{.Manifest.Digest}}') && \
		sed -i "s|^ARG PYTHON=.*|ARG PYTHON=python:3.12-slim@$$digest|" Dockerfile
report:  ## The report of two published systems on BEA-dev, into docs/reports
	python -c "import sys; sys.path.insert(0, 'benchmarks'); import archives; archives.unpacked('evaluation-only')"
	cd .cache/data/evaluation-only && python -m emendo analyze \
		pillars-of-gec/data/system_preds/single_systems/CTC-Copy___bea-dev.txt \
		pillars-of-gec/data/system_preds/single_systems/GECToR-2024___bea-dev.txt \
		--reference pillars-of-gec/data/evaluation_sets/bea-dev.m2 \
		--tags-from wi+locness/ABC.train.gold.bea19.m2 \
		--page $(CURDIR)/docs/reports/bea-dev.html --json > $(CURDIR)/docs/reports/bea-dev.json
screenshots:  ## Pictures of the page and a recording, into docs/images
	python -m tests.serving.page.screenshots docs/images
