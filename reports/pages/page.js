"use strict";
// Draws every figure of the page from the data next to it, in the colours of the style sheet.
(async () => {
  const root = document.documentElement;
  const figures = [...document.querySelectorAll(".plot")].map((place) => ({
    place,
    drawn: JSON.parse(document.getElementById(`data-${place.dataset.figure}`).textContent),
  }));
  const night = document.getElementById("dark");
  const pause = () => new Promise((done) => setTimeout(done));

  function color(name) {
    return getComputedStyle(root).getPropertyValue(`--${name}`).trim();
  }

  // A colour in the data is {"$": its name}; nothing else has this shape.
  function coloured(value) {
    if (Array.isArray(value)) return value.map(coloured);
    if (value === null || typeof value !== "object") return value;
    if (typeof value.$ === "string") return color(value.$);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, coloured(item)]));
  }

  function axis(given) {
    return {
      gridcolor: color("rule"),
      zerolinecolor: color("rule"),
      linecolor: color("rule"),
      automargin: true,
      fixedrange: false,
      ...given,
      title: { standoff: 10, ...given.title, font: { size: 12, color: color("muted") } },
      tickfont: { color: color("muted"), size: 12 },
    };
  }

  function layout(figure) {
    const given = coloured(figure.drawn.layout);
    const axes = { xaxis: {}, yaxis: {} };
    for (const [key, value] of Object.entries(given)) if (/^[xy]axis\d*$/.test(key)) axes[key] = value;
    for (const key of Object.keys(axes)) axes[key] = axis(axes[key]);
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: color("ink") },
      margin: { l: 8, r: 26, t: 44, b: 8 },
      legend: { orientation: "h", x: 0, xanchor: "left", y: 1, yanchor: "bottom", traceorder: "normal", font: { size: 12 } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: color("muted"), activecolor: color("ink") },
      hoverlabel: { bgcolor: color("page"), bordercolor: color("rule"), font: { color: color("ink"), size: 13 }, align: "left", namelength: -1 },
      uniformtext: { minsize: 11, mode: "hide" },
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
      ...given,
      ...axes,
    };
  }

  async function draw(figure, more = {}) {
    const settings = { displaylogo: false, modeBarButtons: [["toImage", "resetScale2d"]], displayModeBar: true };
    await Plotly.react(figure.place, coloured(figure.drawn.traces), { ...layout(figure), ...more }, settings);
  }

  async function drawAll() {
    if (!window.Plotly) return;
    for (const figure of figures) {
      await draw(figure);
      await pause();
    }
    root.dataset.drawn = String(figures.length);
  }

  async function unpack() {
    const packed = Uint8Array.from(atob(document.getElementById("plotly").textContent), (one) => one.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(unpacked).text();
    document.head.append(script);
  }

  // Plotly draws to the current width; draw again when that changes.
  const widths = new ResizeObserver((changes) => {
    for (const { target } of changes) if (target.querySelector(".main-svg")) Plotly.Plots.resize(target);
  });

  document.querySelector(".theme").addEventListener("click", () => {
    night.media = matchMedia(night.media).matches ? "not all" : "screen";
    drawAll();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

  // A link to a fold opens it.
  const unfold = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();

  // A page on paper is light and as wide as the sheet.
  let before = night.media;
  addEventListener("beforeprint", () => {
    before = night.media;
    night.media = "not all";
    if (window.Plotly) for (const figure of figures) draw(figure, { width: 680 });
  });
  addEventListener("afterprint", () => {
    night.media = before;
    drawAll();
  });

  try {
    await unpack();
  } catch (error) {
    document.querySelector(".failure").hidden = false;
    root.classList.add("undrawn");
    return;
  }
  await drawAll();
  for (const figure of figures) widths.observe(figure.place);
})();
