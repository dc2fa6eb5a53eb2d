"""Two processes, each with half of a batch, end with the gradient of one that had all of it."""

import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from emendo.data.collator import PairCollator
from tests.conftest import encode_all, scramble
from tests.modeling.test_editing import PAIRS


def worker(rank, port, model, batches, queue):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    torch.set_num_threads(1)
    wrapped = torch.nn.parallel.DistributedDataParallel(model.eval())
    count = sum((batch["labels"] != -100).sum() for batch in batches)
    # DDP averages over processes, so each divides by half of the labels.
    loss = wrapped(**batches[rank], num_items_in_batch=count / 2).loss
    loss.backward()
    if rank == 0:
        queue.put(torch.cat([p.grad.flatten() for p in model.parameters()]).numpy())
    # Otherwise the process group outlives the next line and now and then never ends (1 of 60): torch 2.13
    # joins its threads with the interpreter locked, when the last of them needs the interpreter.
    del wrapped, loss
    dist.barrier()
    dist.destroy_process_group()


def test_two_processes_equal_one(tiny_model, small_tokenizer):
    encoded = encode_all(PAIRS, small_tokenizer, 2)
    collate = PairCollator(small_tokenizer.pad_id, 2, reach=1)
    # Half of the sentences ask for no words at all.
    whole, halves = (
        collate(encoded),
        [collate([encoded[2]]), collate([encoded[i] for i in (0, 1, 3)])],
    )
    model = scramble(tiny_model()).eval()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = mp.get_context("spawn")
    queue = context.Queue()
    processes = [
        context.Process(target=worker, args=(rank, port, model, halves, queue)) for rank in (0, 1)
    ]
    for process in processes:
        process.start()
    ours = torch.from_numpy(queue.get(timeout=120))
    for process in processes:
        process.join(timeout=60)
        assert process.exitcode == 0
    model(**whole).loss.backward()
    theirs = torch.cat([p.grad.flatten() for p in model.parameters()])
    assert torch.allclose(ours, theirs, atol=1e-5)
