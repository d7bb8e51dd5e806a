"""The page in a browser with the network off."""

import re
import shutil
import subprocess

import pytest

from posprobe.report.report import Report
from tests.figures import samples, trainings

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
PROBE = """<script>
setTimeout(() => {
  document.querySelectorAll("details").forEach((part) => { part.open = true; });
  parent.postMessage([
    document.documentElement.scrollWidth,
    document.querySelectorAll(".js-plotly-plot .main-svg").length > 0,
    document.querySelectorAll(".failed").length,
  ].join(" "), "*");
}, 3000);
</script></body>"""
FRAME = """<iframe src="page.html" style="border:0;width:400px;height:2400px"></iframe>
<p id="said"></p>
<script>
onmessage = (event) => { document.getElementById("said").textContent = event.data; };
</script>
"""


LONG = "a-checkpoint-with-a-very-long-name" * 3
REPORTS = {
    "heads": lambda: (samples.heads_result(layers=2), samples.provenance(LONG)),
    "manifold": lambda: (
        trainings.forming_result(names=("dstg-tiny", LONG), steps=(240, 2000, 8000)),
        trainings.forming_provenance(names=("dstg-tiny", LONG), steps=(240, 2000, 8000)),
    ),
}


@pytest.mark.skipif(BROWSER is None, reason="needs chromium")
@pytest.mark.parametrize("measure", REPORTS)
def test_page_draws_and_fits_a_telephone(tmp_path, measure):
    result, provenance = REPORTS[measure]()
    report = Report(measure=measure, result=result, provenance=provenance)
    text = report.html().replace("</body>", PROBE)
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    (tmp_path / "frame.html").write_text(FRAME, encoding="utf-8")
    words = [
        *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
        *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
        *("--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=800,2600"),
        *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=8000", "--dump-dom"),
        (tmp_path / "frame.html").as_uri(),
    ]
    shown = subprocess.run(words, capture_output=True, text=True, timeout=90, check=True).stdout
    said = re.search(r'id="said">([^<]*)', shown)
    assert said is not None
    width, drawn, failed = said[1].split()
    assert int(width) <= 400
    assert drawn == "true"
    assert failed == "0"
