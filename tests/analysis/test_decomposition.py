from posprobe.analysis.decomposition import DecompositionResult
from tests.figures.decompositions import sample


def test_json_comes_back_as_it_went():
    result = sample()
    assert DecompositionResult.from_json(result.to_json()).to_json() == result.to_json()


def test_the_frame_has_a_row_per_number():
    result = sample()
    frame = result.to_frame()
    assert set(frame["weights"]) == {"checkpoint", "random init"}
    shares = frame.query("weights == 'checkpoint' and quantity == 'share'")
    states = shares[shares["site"] != "attn.hook_attn_scores"]
    assert len(states) == 3 * len(result.states)
    heads = shares[shares["site"] == "attn.hook_attn_scores"]
    assert len(heads) == result.logits.share.size
    assert set(heads["part"]) == {"absolute", "content", "relative"}
    one = heads.query("layer == 1 and head == 0 and part == 'relative'")["value"].item()
    assert one == result.logits.share[1, 0, 2]


def test_the_summary_has_the_position_share_of_each_site():
    result = sample()
    found = result.summary()
    assert found["position_share"][result.states[0].site] == result.states[0].share[0]
    assert found["class_counts"] == result.logits.class_counts
