import numpy as np
import pytest
import torch
from torch import nn

from posprobe.data.equations import reversal
from posprobe.data.symbolic import TASKS
from posprobe.data.vocabulary import ascii_vocabulary
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig
from posprobe.training.equation_table import EquationTable
from posprobe.training.evaluate import exact_match

ASCII = ascii_vocabulary()


class Reverser(nn.Module):
    """Knows how to reverse what stands in brackets, and errs where it is told to."""

    def __init__(self, wrong=()):
        super().__init__()
        self.wrong = wrong

    def forward(self, tokens, mask=None, *, at):
        rows, columns = at // tokens.shape[1], at % tokens.shape[1]
        logits = torch.zeros(len(at), ASCII.size)
        for i, (row, column) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
            read = "".join(ASCII.characters[t] for t in tokens[row, : column + 1])
            prompt, _, written = read.partition("=")
            answer = prompt[4:-1][::-1] + "\n"
            right = ASCII.encode(answer[len(written)])[0]
            logits[i, (right + (read in self.wrong)) % ASCII.size] = 1
        return logits


def table(equations, causal=True):
    return EquationTable(equations, ASCII, name="reversal", causal=causal)


EQUATIONS = [reversal(x) for x in ("12", "345", "67", "8")]


def test_a_model_that_knows_is_right_everywhere():
    found = exact_match(Reverser(), table(EQUATIONS), batch_size=3)
    assert found == {"exact_match": 1.0, "characters": 1.0}


@pytest.mark.parametrize("slip", ["rev(12)=", "rev(12)=2", "rev(12)=21"])
def test_one_wrong_character_spoils_the_answer_the_end_included(slip):
    found = exact_match(Reverser({slip}), table(EQUATIONS), batch_size=3)
    assert found == {"exact_match": 0.75, "characters": 11 / 12}


def test_an_error_in_the_prompt_does_not_count():
    assert exact_match(Reverser({"rev("}), table(EQUATIONS))["exact_match"] == 1.0


def test_it_is_what_writing_the_answers_token_by_token_gives():
    cfg = DecoderConfig(n_layers=1, n_heads=2, d_model=16, n_ctx=24)
    model = build(cfg, seed=3)
    equations = TASKS["indexing"].equations(60, seed=0, digits=2)
    table = EquationTable(equations, ASCII, name="indexing", causal=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(40):  # to where some answers are right and some are wrong
        part = table.lesson(np.arange(60))
        loss = nn.functional.cross_entropy(model(part.tokens, at=part.at), part.targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    right = 0
    for equation in equations:
        written = equation.prompt
        while not written.endswith("\n") and len(written) < 20:
            logits = model(torch.tensor([ASCII.encode(written)]))
            written += ASCII.characters[int(logits[0, -1].argmax())]
        right += written == equation.line + "\n"
    assert 0 < right < 60
    assert exact_match(model, table, batch_size=7)["exact_match"] == right / 60
