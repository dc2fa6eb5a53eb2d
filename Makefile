.PHONY: help ci test bars mutants integration format report screenshots
help:  ## What there is
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/'
ci:  ## Everything a change must pass, from an empty machine
	bash .ci/run
test:  ## The tests, in the environment at hand
	OMP_NUM_THREADS=1 python -m pytest -n 2 --dist loadfile -m "not bar and not quiet" --ignore tests/training
	OMP_NUM_THREADS=1 python -m pytest tests/training
bars:  ## The short form of every benchmark, held against its figure; wants the machine to itself
	python -m pytest -s tests/test_bars.py tests/test_quiet_bars.py
mutants:  ## Small bugs planted in the core: how many do the tests notice? Hours
	python -m tests.mutants.run
integration:  ## The long forms: ten thousand documents, thousands of requests, kills, overload, a soak, Neovim
	EMENDO_LONG=1 python -m pytest --timeout 3600 tests/inference/test_editor.py tests/text/test_lossless.py tests/parity tests/evaluation/test_errant_edits.py tests/serving tests/lsp tests/batch tests/security/test_parser_time.py
	python benchmarks/serve_soak.py --overload 60 --seconds 1200
format:  ## Format and fix what can be fixed
	ruff format . && ruff check --fix .
report:  ## The report of two published systems on BEA-dev, into docs/reports
	python -c "import sys; sys.path.insert(0, 'benchmarks'); import archives; archives.unpacked('evaluation-only')"
	cd .cache/data/evaluation-only && python -m emendo analyze \
		pillars-of-gec/data/system_preds/single_systems/CTC-Copy___bea-dev.txt \
		pillars-of-gec/data/system_preds/single_systems/GECToR-2024___bea-dev.txt \
		--reference pillars-of-gec/data/evaluation_sets/bea-dev.m2 \
		--tags-from wi+locness/ABC.train.gold.bea19.m2 \
		--page $(CURDIR)/docs/reports/bea-dev.html --json > $(CURDIR)/docs/reports/bea-dev.json
screenshots:  ## Pictures of the page, into docs/images
	python -m tests.serving.page.screenshots docs/images
