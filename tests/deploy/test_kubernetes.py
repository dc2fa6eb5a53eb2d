"""The files for Kubernetes, against its schemas and against what the server does; no cluster is here."""

import json
import os
import re
import shutil
import subprocess
from functools import cache

import pytest

kubernetes_validate = pytest.importorskip("kubernetes_validate")
promql_parser = pytest.importorskip("promql_parser")
yaml = pytest.importorskip("yaml")
pytest.importorskip("fastapi")

from emendo.cli.serve import serve
from emendo.errors import ConfigError
from emendo.serving.access import ApiKey
from emendo.serving.app import create_app
from emendo.serving.settings import ServerSettings
from emendo.serving.telemetry import Telemetry
from tests.conftest import ROOT

FOLDER = ROOT / "deploy/kubernetes"
# The oldest release that clouds still run, and the newest that there are schemas of.
VERSIONS = ("1.30", "1.37")
# Schemas of the Prometheus operator are in no package; its file is looked at below.
FOREIGN = {"ServiceMonitor"}


def read(path):
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


@cache
def rendered(folder):
    """Return the objects that `kubectl apply -k` would send."""
    command = os.environ.get("KUSTOMIZE") or shutil.which("kustomize")
    if command is None:
        pytest.skip("no kustomize: put it on the PATH, or its path into KUSTOMIZE")
    done = subprocess.run(
        [command, "build", str(FOLDER / folder)], check=True, capture_output=True, text=True
    )
    return [each for each in yaml.safe_load_all(done.stdout) if each]


def of_kind(objects, kind):
    (found,) = [each for each in objects if each["kind"] == kind]
    return found


@pytest.fixture(scope="module")
def base():
    """The base as its files have it: it changes nothing of what it lists."""
    (listed,) = read(FOLDER / "base/kustomization.yaml")
    assert set(listed) == {"apiVersion", "kind", "resources"}
    assert {*listed["resources"], "kustomization.yaml"} == set(os.listdir(FOLDER / "base"))
    return [each for name in listed["resources"] for each in read(FOLDER / "base" / name)]


@pytest.fixture(scope="module")
def pod(base):
    return of_kind(base, "Deployment")["spec"]["template"]["spec"]


@pytest.fixture(scope="module")
def container(pod):
    (container,) = pod["containers"]
    return container


@pytest.fixture(scope="module")
def known_series(editor_app):
    """The names that /metrics has, for a server that has answered a request."""
    telemetry, _ = editor_app
    telemetry.requests.labels("/v1/edit", "200").observe(0.1)
    telemetry.refused.labels("load").inc()
    lines = telemetry.report().decode().splitlines()
    return {re.match(r"\w+", line)[0] for line in lines if not line.startswith("#")}


@pytest.fixture(scope="module")
def editor_app():
    from emendo import Editor
    from tests.scribe import Scribe

    telemetry = Telemetry()
    return telemetry, create_app(Editor(Scribe()), ServerSettings(), telemetry)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_base_is_valid(base, version):
    for each in base:
        kubernetes_validate.validate(each, version, strict=True)


def test_the_check_can_fail(base):
    broken = json.loads(json.dumps(of_kind(base, "Deployment")))
    broken["spec"]["template"]["spec"]["containers"][0]["readinessProb"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSIONS[0], strict=True)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("folder", ["base", "example"])
def test_what_kustomize_makes_is_valid(folder, version):
    for each in rendered(folder):
        if each["kind"] not in FOREIGN:
            kubernetes_validate.validate(each, version, strict=True)


def test_the_example_changes_what_it_says():
    objects = rendered("example")
    pod = of_kind(objects, "Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["image"] == "registry.example/emendo:0.1.0"
    mounts = {each["mountPath"]: each for each in container["volumeMounts"]}
    assert mounts["/model"]["readOnly"]
    assert set(mounts) == {"/model", "/tmp", "/words"}
    assert {each["name"] for each in pod["volumes"]} == {"model", "tmp", "words"}
    assert container["readinessProbe"]["httpGet"]["path"] == "/ready"
    namespaced = [each for each in objects if each["kind"] != "Namespace"]
    assert {each["metadata"]["namespace"] for each in namespaced} == {"emendo"}
    (rule,) = of_kind(objects, "NetworkPolicy")["spec"]["ingress"]
    assert len(rule["from"]) == 3
    assert of_kind(objects, "NetworkPolicy")["spec"]["egress"] == []
    dashboard = of_kind(objects, "ConfigMap")["data"]["emendo.json"]
    assert json.loads(dashboard) == json.loads((FOLDER / "monitoring/dashboard.json").read_text())


def test_placeholders_for_keys_let_no_server_start():
    (secret,) = read(FOLDER / "example/keys.yaml")
    with pytest.raises(ConfigError, match="must be 16 to"):
        ApiKey.parse_all(secret["stringData"]["EMENDO_API_KEYS"].split(","))


def test_variables_are_those_of_the_server(container):
    import typer.main

    command = typer.main.get_command(_app(serve))
    known = {parameter.envvar for parameter in command.params} | {"EMENDO_API_KEYS"}
    given = {each["name"] for each in container["env"]} - {"OMP_NUM_THREADS"}
    assert given <= known


def _app(verb):
    import typer

    app = typer.Typer()
    app.command()(verb)
    return app


def test_it_is_given_as_long_to_stop_as_it_takes(pod, container):
    env = {each["name"]: each.get("value") for each in container["env"]}
    settings = ServerSettings(deadline=float(env["EMENDO_DEADLINE"]))
    command, seconds = container["lifecycle"]["preStop"]["exec"]["command"]
    assert command == "sleep"
    longest = int(seconds) + settings.longest_stop
    assert longest < pod["terminationGracePeriodSeconds"] <= longest + 10


def test_probes_outlast_the_servers_own_patience(container, editor_app):
    from emendo.serving.service import _PROBE_DEADLINE

    routes = {path for path, _ in editor_app[1].routes}
    for name in ("startupProbe", "readinessProbe", "livenessProbe"):
        probe = container[name]
        assert probe["httpGet"] == {"path": "/ready", "port": "http"}
        assert probe["httpGet"]["path"] in routes
        assert probe["timeoutSeconds"] > _PROBE_DEADLINE
    readiness, liveness = container["readinessProbe"], container["livenessProbe"]
    out = readiness["periodSeconds"] * readiness["failureThreshold"]
    assert out < liveness["periodSeconds"] * liveness["failureThreshold"]


def test_a_replica_has_no_rights(pod, container):
    assert pod["securityContext"]["runAsNonRoot"]
    assert str(pod["securityContext"]["runAsUser"]) in (ROOT / "Dockerfile").read_text()
    assert not pod["automountServiceAccountToken"]
    rights = container["securityContext"]
    assert rights["readOnlyRootFilesystem"]
    assert not rights["allowPrivilegeEscalation"]
    assert rights["capabilities"] == {"drop": ["ALL"]}


def test_names_meet(base, pod, container):
    labels = of_kind(base, "Deployment")["spec"]["template"]["metadata"]["labels"]
    service = of_kind(base, "Service")["spec"]
    (port,) = service["ports"]
    assert service["selector"] == labels
    assert port["targetPort"] == container["ports"][0]["name"]
    assert of_kind(base, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels
    assert of_kind(base, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"] == labels
    target = of_kind(base, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    assert target["name"] == of_kind(base, "Deployment")["metadata"]["name"]
    (monitor,) = read(FOLDER / "monitoring/service-monitor.yaml")
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint["port"] == port["name"]
    assert (
        monitor["spec"]["selector"]["matchLabels"] == of_kind(base, "Service")["metadata"]["labels"]
    )
    (secret,) = read(FOLDER / "example/keys.yaml")
    credentials = endpoint["authorization"]["credentials"]
    assert credentials["name"] == secret["metadata"]["name"]
    assert credentials["key"] in secret["stringData"]
    keys = next(each for each in container["env"] if each["name"] == "EMENDO_API_KEYS")
    assert keys["valueFrom"]["secretKeyRef"] == {
        "name": secret["metadata"]["name"],
        "key": "EMENDO_API_KEYS",
    }


def test_the_autoscaler_asks_for_what_the_adapter_gives(base, known_series):
    (rules,) = read(FOLDER / "monitoring/adapter-rules.yaml")
    (rule,) = rules["rules"]["custom"]
    asked = [
        each["pods"]["metric"]["name"]
        for each in of_kind(base, "HorizontalPodAutoscaler")["spec"]["metrics"]
        if each["type"] == "Pods"
    ]
    assert asked == [rule["name"]["as"]]
    query = rule["metricsQuery"].replace("<<.LabelMatchers>>", 'namespace="a",pod="b"')
    assert series(query.replace("<<.GroupBy>>", "pod")) <= known_series
    assert series(rule["seriesQuery"]) <= known_series


def test_the_dashboard_shows_what_the_server_counts(known_series):
    dashboard = json.loads((FOLDER / "monitoring/dashboard.json").read_text(encoding="utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    shown = set()
    for query in queries:
        shown |= series(query.replace("$__rate_interval", "1m").replace("$namespace", "emendo"))
    assert shown <= known_series
    assert {"emendo_queue_wait_seconds_bucket", "emendo_refused_total"} <= shown
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def series(query):
    """Return the names of series that a query reads; it must parse."""
    promql_parser.parse(query)
    outside = re.sub(r"\{[^}]*\}|\"[^\"]*\"|by \([^)]*\)", "", query)
    return set(re.findall(r"\b(?:emendo|process)_\w+", outside))
