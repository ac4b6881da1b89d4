"""The manifests for Kubernetes have its schemas, refer to what there is, and lock the pods in."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from places import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
FILES = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["resources"]
OBJECTS: list[dict[str, Any]] = [
    each for name in FILES for each in yaml.safe_load_all((FOLDER / name).read_text())
]
DEPLOYMENTS = [each for each in OBJECTS if each["kind"] == "Deployment"]
VERSIONS = ("1.29", "1.32")


def name_of(each: dict[str, Any]) -> str:
    """Kind and name."""
    return f"{each['kind']} {each['metadata']['name']}"


def named(kind: str) -> dict[str, dict[str, Any]]:
    """All of a kind, by name."""
    return {each["metadata"]["name"]: each for each in OBJECTS if each["kind"] == kind}


def test_every_file_is_applied() -> None:
    assert {path.name for path in FOLDER.glob("*.yaml")} == {*FILES, "kustomization.yaml"}
    kinds = {each["kind"] for each in OBJECTS}
    assert kinds >= {"Deployment", "Service", "ConfigMap", "NetworkPolicy"}
    assert kinds >= {"PodDisruptionBudget", "HorizontalPodAutoscaler", "PersistentVolumeClaim"}
    assert len({name_of(each) for each in OBJECTS}) == len(OBJECTS)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("each", OBJECTS, ids=name_of)
def test_each_object_has_the_schema_of_its_kind(each: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(each, version, strict=True)


def test_a_misspelt_field_would_be_seen() -> None:
    wrong = {**DEPLOYMENTS[0], "spec": {**DEPLOYMENTS[0]["spec"], "replica": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_pods_are_locked_in_and_have_limits_and_probes(deployment: dict[str, Any]) -> None:
    pod = deployment["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    for container in (*pod["containers"], *pod["initContainers"]):
        context = container["securityContext"]
        assert context["readOnlyRootFilesystem"] is True
        assert context["allowPrivilegeEscalation"] is False
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert {"cpu", "memory"} <= set(container["resources"]["limits"])
        assert ":latest" not in container["image"]
    (container,) = pod["containers"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        request = container[probe]["httpGet"]
        assert (request["scheme"], request["port"]) == ("HTTPS", "https")
        assert request["path"] in ("/readyz", "/livez")
    volumes = {each["name"] for each in pod["volumes"]}
    mounted = [each for one in (container, *pod["initContainers"]) for each in one["volumeMounts"]]
    assert {each["name"] for each in mounted} == volumes


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_the_configuration_names_what_is_mounted_and_holds(
    deployment: dict[str, Any], tmp_path: Path
) -> None:
    pod = deployment["spec"]["template"]["spec"]
    (container,), (copying,) = pod["containers"], pod["initContainers"]
    (config,) = (each["configMap"]["name"] for each in pod["volumes"] if "configMap" in each)
    text = named("ConfigMap")[config]["data"]["incognote.toml"]
    options = tomllib.loads(text)["serve"]
    assert options["port"] == container["ports"][0]["containerPort"]
    copied = {f"/run/incognote/{Path(each).name}" for each in copying["args"]}
    keys = {options[each] for each in ("keys", "key-file", "spool-key-file") if each in options}
    assert keys == copied
    mounts = [each["mountPath"] for each in container["volumeMounts"]]
    for key in ("certificate", "private-key", "spool"):
        assert key not in options or any(options[key].startswith(each) for each in mounts)
    assert options["grace"] + 5 < pod["terminationGracePeriodSeconds"]
    file = tmp_path / "incognote.toml"
    file.write_text(text)
    words = ["config", "check", "--config", str(file)]
    checked = subprocess.run(
        [sys.executable, "-m", "incognote", *words], capture_output=True, text=True, check=False
    )
    assert "nothing is wrong" in checked.stdout + checked.stderr


def test_services_policies_and_budgets_find_their_pods() -> None:
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in DEPLOYMENTS]

    def chosen(selector: dict[str, str]) -> int:
        return sum(selector.items() <= each.items() for each in labels)

    for service in named("Service").values():
        assert chosen(service["spec"]["selector"]) == 1
        assert service["spec"]["ports"][0]["targetPort"] == "https"
    (budget,) = named("PodDisruptionBudget").values()
    assert chosen(budget["spec"]["selector"]["matchLabels"]) == 1
    (policy,) = named("NetworkPolicy").values()
    assert chosen(policy["spec"]["podSelector"]["matchLabels"]) == len(DEPLOYMENTS)
    assert policy["spec"]["egress"] == []
    (scaler,) = named("HorizontalPodAutoscaler").values()
    assert scaler["spec"]["scaleTargetRef"]["name"] in named("Deployment")
    assert named("Deployment")["incognote-jobs"]["spec"]["replicas"] == 1
