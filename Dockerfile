# emendo's server. The model is mounted, not built in:
#   docker build -t emendo .
#   docker run -p 127.0.0.1:8081:8081 -e EMENDO_API_KEYS=me:KEY -v ./my-bundle:/model:ro -v words:/words emendo
# `make base` pins the base image by its digest; `make lock` pins the packages by their hashes.
ARG PYTHON=python:3.12-slim
FROM ${PYTHON} AS build
WORKDIR /src
COPY docker docker
RUN pip install --no-cache-dir --prefix=/install --require-hashes -r docker/image.txt \
    && pip install --no-cache-dir --require-hashes -r docker/build.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /dist . \
    && pip install --no-cache-dir --no-deps --prefix=/install /dist/*.whl

FROM ${PYTHON}
COPY --from=build /install /usr/local
RUN useradd --system --uid 10001 emendo && mkdir /words && chown emendo /words
USER emendo
ENV EMENDO_MODEL=/model EMENDO_HOST=0.0.0.0 EMENDO_PORT=8081 EMENDO_DICTIONARIES=/words \
    OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1
EXPOSE 8081
VOLUME /words
HEALTHCHECK --interval=30s --timeout=6s --start-period=20s CMD \
    ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"EMENDO_PORT\"]}/ready', timeout=5)"]
# In `exec` form SIGTERM reaches the server, which then finishes the requests that it has started.
ENTRYPOINT ["emendo", "serve"]
