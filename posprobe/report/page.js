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

  const plots = Array.from(document.querySelectorAll(".plot"));
  if (typeof Plotly === "undefined") {
    plots.forEach(fail);
    plots.length = 0;
  }

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
  plots.forEach((plot) => { reserve(plot); near.observe(plot); sized.observe(plot); });

  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    plots.filter((plot) => plot.dataset.drawn !== undefined).forEach(draw);
  });

  document.querySelectorAll("[data-key]").forEach((button) => {
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
})();
