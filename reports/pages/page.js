"use strict";
// Draws every figure of the page from the data at its end, in the colours of the style sheet.
(async () => {
  const root = document.documentElement;
  const figures = [...document.querySelectorAll(".plot")].map((place) => ({ place }));
  const night = document.getElementById("dark");
  const pause = () => new Promise((done) => setTimeout(done));

  // The colours of the style sheet that is on, each read once: reading one makes the browser lay the page out again.
  let colors = {};
  function color(name) {
    return (colors[name] ??= getComputedStyle(root).getPropertyValue(`--${name}`).trim());
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
      ticklabeloverflow: "allow", // margins make room for labels: Plotly need not measure each again
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
      // What most figures need: where labels need more, Plotly draws all again.
      margin: { l: 72, r: 26, t: 44, b: axes.xaxis.title.text ? 49 : 30 },
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
    const settings = { displaylogo: false, modeBarButtons: [["resetScale2d"]], displayModeBar: true };
    await Plotly.react(figure.place, traces(figure), { ...layout(figure), ...more }, settings);
    if (makeRoom(figure.place)) await Plotly.relayout(figure.place, { height: figure.place.clientHeight });
    if (figure.listens) return;
    figure.listens = true;
    figure.place.on("plotly_relayout", (change) => zoom(figure, change));
  }

  // Plotly scrolls a legend that takes more than half of a figure: a narrow one grows instead.
  function makeRoom(place) {
    const legend = place._fullLayout.legend;
    if (!legend || !(legend._height > legend._effHeight)) return false;
    place.style.height = `${place.clientHeight + 2 * (legend._height - legend._effHeight) + 2}px`;
    return true;
  }

  function traces(figure) {
    const drawn = coloured(figure.drawn.traces);
    const chosen = figure.drawn.choices[figure.choice ?? 0];
    if (chosen) for (const [key, values] of Object.entries(chosen.update)) values.forEach((value, i) => { drawn[i][key] = value; });
    return drawn;
  }

  // What the reader can see instead: a button for each.
  function offer(figure) {
    if (!figure.drawn.choices.length) return;
    const row = document.createElement("div");
    row.className = "choices";
    row.append(...figure.drawn.choices.map(({ label }, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.setAttribute("aria-pressed", String(place === 0));
      button.addEventListener("click", () => {
        figure.choice = place;
        [...row.children].forEach((one, i) => one.setAttribute("aria-pressed", String(i === place)));
        if (window.Plotly) draw(figure);
      });
      return button;
    }));
    figure.place.previousElementSibling.append(row);
  }

  // Figures over time show the same time, each in its unit.
  let zooming = false;
  async function zoom(figure, change) {
    const own = figure.drawn.layout.meta;
    const range = change["xaxis.range"] ?? [change["xaxis.range[0]"], change["xaxis.range[1]"]];
    const whole = change["xaxis.autorange"] === true;
    if (zooming || !own || (!whole && range[0] === undefined)) return;
    zooming = true;
    for (const other of figures) {
      const its = other.drawn.layout.meta;
      if (other === figure || its?.linked !== own.linked) continue;
      const same = range.map((end) => (end * own.unit_ns) / its.unit_ns);
      await Plotly.relayout(other.place, whole ? { "xaxis.autorange": true } : { "xaxis.range": same });
    }
    zooming = false;
  }

  // What the reader sees is drawn first, wherever a link has led.
  function pixelsAway(place) {
    const { top, bottom } = place.getBoundingClientRect();
    return Math.max(top - innerHeight, -bottom, 0);
  }

  async function drawAll() {
    if (!window.Plotly) return;
    colors = {};
    root.classList.add("drawing");
    const waiting = [...figures];
    while (waiting.length) {
      const away = new Map(waiting.map((figure) => [figure, pixelsAway(figure.place)]));
      waiting.sort((one, other) => away.get(one) - away.get(other));
      const pauses = performance.now() + 50;
      do await draw(waiting.shift()); while (waiting.length && performance.now() < pauses);
      await pause();
    }
    root.classList.remove("drawing");
    root.dataset.drawn = String(figures.length);
  }

  async function unpacked(name) {
    const packed = Uint8Array.from(atob(document.getElementById(name).textContent), (one) => one.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
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

  // Each figure's numbers, and its picture, as files.
  function save(name, href) {
    const link = document.createElement("a");
    link.download = name;
    link.href = href;
    link.click();
  }

  function saveText(name, text, type) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    save(name, url);
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  function picture(figure, format) {
    const drawn = { data: traces(figure), layout: { ...layout(figure), paper_bgcolor: color("page") } };
    const { width, height } = figure.place.getBoundingClientRect();
    return Plotly.toImage(drawn, { format, width, height, scale: format === "png" ? 2 : 1 });
  }

  // The drawing of a picture that needs no script, with its colours and its legend.
  const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight"];
  function standalone(place) {
    const drawn = place.querySelector("svg");
    const copy = drawn.cloneNode(true);
    const own = [drawn, ...drawn.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((part, i) => {
      const style = getComputedStyle(own[i]);
      part.removeAttribute("class");
      part.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    });
    const { width, height } = drawn.viewBox.baseVal;
    const legend = [...place.querySelectorAll(".legend li")];
    const made = (name, attributes, words = "") => {
      const part = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
      part.textContent = words;
      return part;
    };
    legend.forEach((line, i) => {
      const y = height + 18 * (i + 1);
      const sign = line.querySelector("span");
      if (sign) copy.append(made("rect", { x: 2, y: y - 9, width: 10, height: 10, fill: getComputedStyle(sign).backgroundColor }));
      copy.append(made("text", { x: sign ? 18 : 2, y, "font-size": 12, fill: color("ink") }, line.textContent.trim()));
    });
    const high = height + 18 * legend.length + (legend.length ? 10 : 0);
    copy.prepend(made("rect", { width, height: high, fill: color("page") }));
    for (const [key, value] of Object.entries({
      xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${high}`, width, height: high,
      "font-family": getComputedStyle(document.body).fontFamily,
    })) copy.setAttribute(key, value);
    return { text: new XMLSerializer().serializeToString(copy), width, height: high };
  }

  async function rastered({ text, width, height }) {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [3 * width, 3 * height];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
  }

  const stem = document.querySelector("h1").textContent.replace(/[^\w.-]+/g, "-");
  function savers(title, forms) {
    const row = document.createElement("span");
    row.className = "save";
    row.append(...Object.entries(forms).map(([form, act]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = form.toUpperCase();
      button.dataset.save = form;
      button.title = `${title} as ${button.textContent}`;
      button.setAttribute("aria-label", button.title);
      button.addEventListener("click", act);
      return button;
    }));
    return row;
  }

  for (const place of document.querySelectorAll("[data-picture]")) {
    const name = `${stem}-${place.dataset.picture}`;
    const title = place.querySelector("h2");
    title.after(savers(title.textContent, {
      csv: () => saveText(`${name}.csv`, place.dataset.csv, "text/csv"),
      png: async () => save(`${name}.png`, await rastered(standalone(place))),
      svg: () => saveText(`${name}.svg`, standalone(place).text, "image/svg+xml"),
    }));
  }

  // Python's module csv writes the same.
  function csv(packed) {
    const columns = packed.map(([name, cells]) => [name, ...(typeof cells === "string" ? cells.split(",") : cells)]);
    const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    return columns[0].map((_, row) => `${columns.map((column) => quoted(column[row])).join(",")}\n`).join("");
  }

  function offerToSave(place, { columns }) {
    const name = `${stem}-${place.id}`;
    const forms = { csv: () => saveText(`${name}.csv`, csv(columns), "text/csv") };
    const figure = figures.find((one) => one.place.dataset.figure === place.id);
    for (const form of figure ? ["png", "svg"] : [])
      forms[form] = async () => window.Plotly && save(`${name}.${form}`, await picture(figure, form));
    place.querySelector("footer").prepend(savers(place.querySelector("h3").textContent, forms));
  }

  // A table's heads sort its rows: numbers the largest first, names in their order, and what is missing last.
  function sort(table, head, place, values) {
    const cell = (row) => row.cells[place];
    const value = (row) => values?.get(row) ?? cell(row).textContent.trim();
    const numbers = head.classList.contains("number");
    const turned = head.getAttribute("aria-sort") === (numbers ? "descending" : "ascending");
    const down = numbers !== turned;
    const rows = [...table.tBodies[0].rows];
    const missing = (row) => cell(row).querySelector(".none") !== null;
    rows.sort((one, other) => {
      if (missing(one) || missing(other)) return missing(one) - missing(other);
      const [a, b] = [value(one), value(other)];
      const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  }

  function offerToSort(table, orders) {
    const rows = [...table.tBodies[0].rows];
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      const values = orders[place] && new Map(rows.map((row, i) => [row, orders[place][i]]));
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, head, place, values));
      head.append(button);
    });
  }

  // A long table shows ten rows: the others, and a search among all, for who asks.
  for (const table of document.querySelectorAll(".long-table")) {
    const rows = [...table.tBodies[0].rows];
    const controls = document.createElement("div");
    controls.className = "rows";
    const more = document.createElement("button");
    more.type = "button";
    const search = document.createElement("input");
    search.type = "search";
    search.placeholder = "Search";
    search.setAttribute("aria-label", "Search the rows of this table");
    const show = (all) => {
      table.classList.toggle("all", all || search.value !== "");
      more.textContent = all ? "Show ten rows" : `Show all ${rows.length} rows`;
      more.setAttribute("aria-expanded", String(all));
    };
    more.addEventListener("click", () => show(more.getAttribute("aria-expanded") !== "true"));
    search.addEventListener("input", () => {
      const wanted = search.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      show(more.getAttribute("aria-expanded") === "true");
    });
    controls.append(more, search);
    table.after(controls);
    show(false);
  }

  // A link to a fold opens it, and those in which it lies.
  const unfold = () => {
    const target = document.getElementById(location.hash.slice(1));
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target?.scrollIntoView();
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

  let data, plotly;
  try {
    [data, plotly] = await Promise.all(["page-data", "plotly"].map(unpacked));
  } catch (error) {
    document.querySelector(".failure").hidden = false;
    root.classList.add("undrawn");
    return;
  }
  data = JSON.parse(data);
  for (const figure of figures) figure.drawn = data[figure.place.dataset.figure].plot;
  figures.forEach(offer);
  for (const place of document.querySelectorAll("figure")) {
    const its = data[place.id];
    if (!its) continue; // it could not be computed
    offerToSave(place, its);
    const table = place.querySelector(".scroll table");
    if (table) offerToSort(table, its.orders);
  }
  const script = document.createElement("script");
  script.textContent = plotly;
  document.head.append(script);
  await drawAll();
  for (const figure of figures) widths.observe(figure.place);
})();
