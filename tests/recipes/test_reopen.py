"""A checkpoint made of a shipped network is the one that the network was exported from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import reopen
import torch
from onnx import numpy_helper

from incognote.models import shipped_model
from incognote.onnx.model_folder import read_model
from incognote.workshop.export.graph import Int8
from incognote.workshop.export.network import network_of
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.start import start


def constants(network: onnx.ModelProto) -> dict[str, np.ndarray]:
    return {each.name: numpy_helper.to_array(each) for each in network.graph.initializer}


def test_a_reopened_network_is_exported_as_it_was(tmp_path: Path) -> None:
    folder = shipped_model()
    assert folder is not None
    model = read_model(folder)
    name = min(
        model.members, key=lambda name: (folder / model.members[name].network).stat().st_size
    )
    assert reopen.main([str(folder), name, "-o", str(tmp_path / "again")]) == 0
    checkpoint = load_checkpoint(tmp_path / "again")
    tagger, reader = checkpoint.tagger, checkpoint.reader
    begun = start(tmp_path / "again", model.labels)
    assert begun.structure is not None
    assert begun.structure.labels == model.labels == tuple(checkpoint.training["labels"])
    classifier = tagger.model.heads["tokens"].state_dict()
    for key, value in begun.model.heads["tokens"].state_dict().items():
        assert torch.equal(value, classifier[key])
    network = network_of(
        tagger.model,
        Int8(),
        shapes=None if tagger.shape is None else tagger.shape.rows.weight,
        gains=None if tagger.others is None else tagger.others.gains,
        early_exit=tagger.settling,
        longest=reader.window + len(reader.frame),
    )
    shipped = onnx.load(str(folder / model.members[name].network))
    assert [node.op_type for node in network.graph.node] == [
        node.op_type for node in shipped.graph.node
    ]
    again, before = constants(network), constants(shipped)
    assert again.keys() == before.keys()
    for key, value in before.items():
        if value.dtype == np.float32:
            np.testing.assert_allclose(again[key], value, atol=2e-5, rtol=1e-5, err_msg=key)
        else:
            np.testing.assert_array_equal(again[key], value, err_msg=key)


def test_a_member_that_is_not_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shipped_model()
    assert folder is not None
    with pytest.raises(SystemExit):
        reopen.main([str(folder), "nobody", "-o", str(tmp_path / "again")])
    assert "no member nobody" in capsys.readouterr().err
    assert reopen.main([str(tmp_path), "bert", "-o", str(tmp_path / "again")]) == 2
    assert not (tmp_path / "again").exists()
