.PHONY: help ci test bars format
help:  ## What there is
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/'
ci:  ## Everything a change must pass, from an empty machine
	bash .ci/run
test:  ## The tests, in the environment at hand
	OMP_NUM_THREADS=1 python -m pytest -n 2 --dist loadfile -m "not bar"
bars:  ## The short form of every benchmark, held against its figure
	python -m pytest -m bar
format:  ## Format and fix what can be fixed
	ruff format . && ruff check --fix .
