(function () {
  "use strict";
  const root = document.documentElement;
  const hidden = new WeakMap();

  // Colours are stored as CSS variables, so that the page decides what they are.
  function resolve(text) {
    const style = getComputedStyle(root);
    return JSON.parse(text, (_, value) =>
      typeof value === "string" && value.startsWith("var(--")
        ? style.getPropertyValue(value.slice(4, -1)).trim()
        : value);
  }

  function layoutName(plot) {
    return plot.clientWidth < 600 ? "narrow" : "wide";
  }

  // Titles are escaped for Plotly; what is cut must be whole characters.
  function shorten(text, limit) {
    return text.split("<br>").map((line) => {
      const plain = line.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
      if (plain.length <= limit) return line;
      // Layers and streams stand at the end, so more of it is kept.
      const tail = Math.max(1, Math.floor((limit - 1) * 2 / 3));
      const head = Math.max(1, Math.floor(limit - 1 - tail));
      const short = plain.slice(0, head) + "…" + plain.slice(-tail);
      return short.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
    }).join("<br>");
  }

  // The layout is reckoned for one width. At another, labels keep their room and panels give.
  function fit(layout, width) {
    const reckoned = layout.meta.width;
    const columns = layout.meta.columns;
    const more = (width - reckoned) / columns;
    layout.annotations.forEach((title, index) => {
      const axis = layout["xaxis" + (index ? index + 1 : "")];
      const column = index % columns;
      axis.domain = axis.domain.map((end, side) =>
        Math.min(1, Math.max(0, (end * reckoned + (column + side) * more) / width)));
      const room = (axis.domain[1] - axis.domain[0]) * width;
      axis.nticks = Math.max(3, Math.min(10, Math.floor(room / 38)));
      title.x = axis.domain[0];
      title.text = shorten(title.text, (room + 8) / 6.4);
    });
    layout.width = width;
  }

  function reserve(plot) {
    plot.style.height = plot.dataset[layoutName(plot)] + "px";
  }

  function draw(plot) {
    const spec = resolve(document.getElementById(plot.dataset.spec).textContent);
    const layout = spec[layoutName(plot)];
    const off = hidden.get(plot) || new Set();
    fit(layout, plot.clientWidth);
    if (window.matchMedia("(pointer: fine)").matches) layout.dragmode = "zoom";
    spec.data.forEach((trace) => { trace.visible = !off.has(trace.legendgroup); });
    reserve(plot);
    try {
      Plotly.react(plot, spec.data, layout, { displayModeBar: false }).catch(() => fail(plot));
      plot.dataset.drawn = String(layout.width);
    } catch (error) {
      fail(plot);
    }
  }

  function fail(plot) {
    plot.closest("figure").classList.add("failed");
  }

  // What is long is carried as gzip in base64.
  async function unpack(id) {
    const letters = atob(document.getElementById(id).textContent);
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  const plots = Array.from(document.querySelectorAll(".plot"));

  // A figure is drawn when it comes near the window: long pages open at once.
  const near = new IntersectionObserver((entries) => {
    entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
      near.unobserve(entry.target);
      draw(entry.target);
    });
  }, { rootMargin: "1200px" });
  const sized = new ResizeObserver((entries) => {
    entries.forEach(({ target }) => {
      const drawn = target.dataset.drawn;
      if (drawn === undefined) reserve(target);
      else if (target.clientWidth && Number(drawn) !== target.clientWidth) draw(target);
    });
  });
  async function start() {
    plots.forEach(reserve);
    try {
      const script = document.createElement("script");
      script.textContent = await unpack("plotly");
      document.head.append(script);
      plots.forEach((plot) => { near.observe(plot); sized.observe(plot); });
    } catch (error) {
      plots.forEach(fail);
    }
  }
  start();

  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    plots.filter((plot) => plot.dataset.drawn !== undefined).forEach(draw);
  });

  document.querySelectorAll("[data-key]").forEach((button) => {
    button.disabled = false;
    const plot = button.closest("figure").querySelector(".plot");
    button.addEventListener("click", () => {
      if (!plot) return;
      const off = hidden.get(plot) || new Set();
      const key = button.dataset.key;
      if (!off.delete(key)) off.add(key);
      hidden.set(plot, off);
      button.setAttribute("aria-pressed", String(!off.has(key)));
      draw(plot);
    });
  });

  document.querySelectorAll("[data-copy]").forEach((button) => {
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      const text = document.getElementById(button.dataset.copy).textContent;
      navigator.clipboard.writeText(text).then(() => {
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      });
    });
  });

  function save(name, kind, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: kind }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  if (document.getElementById("data") && typeof DecompressionStream !== "undefined") {
    const carried = async () => JSON.parse(await unpack("data"));
    document.querySelectorAll("[data-json]").forEach((button) => {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const data = await carried();
        save(data.name, "application/json", data.json);
      });
    });
    document.querySelectorAll("[data-csv]").forEach((button) => {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const key = button.dataset.csv;
        save(key + ".csv", "text/csv", (await carried()).tables[key]);
      });
    });
  }

  // A number as the page writes it; what is no number stands behind all numbers.
  function read(cell) {
    const text = cell.textContent.trim();
    const value = Number(text.replace(/−/g, "-").replace(/,/g, ""));
    return text === "" || Number.isNaN(value) ? Infinity : value;
  }

  function sort(table, column, direction) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    rows.forEach((row, index) => { row.dataset.place = row.dataset.place || String(index); });
    const numeric = table.tHead.rows[0].cells[column].classList.contains("n");
    const compare = (a, b) => {
      if (direction === "none") return 0;
      const sign = direction === "ascending" ? 1 : -1;
      const [one, two] = [a.cells[column], b.cells[column]];
      if (!numeric) return sign * one.textContent.localeCompare(two.textContent, "en", { numeric: true });
      const [low, high] = [read(one), read(two)];
      if (low === high) return 0;
      if (low === Infinity || high === Infinity) return low === Infinity ? 1 : -1;
      return sign * (low - high);
    };
    rows.sort((a, b) => compare(a, b) || a.dataset.place - b.dataset.place);
    body.append(...rows);
  }

  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
  document.querySelectorAll("table").forEach((table) => {
    if (table.tBodies[0].rows.length < 3) return;
    Array.from(table.tHead.rows[0].cells).forEach((head, column, heads) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const direction = NEXT[head.getAttribute("aria-sort") || "none"];
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        if (direction !== "none") head.setAttribute("aria-sort", direction);
        sort(table, column, direction);
      });
    });
  });

  // A link into folded tables opens them.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = target; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
    if (target) target.scrollIntoView();
  }
  window.addEventListener("hashchange", reveal);
  if (location.hash) reveal();
})();
