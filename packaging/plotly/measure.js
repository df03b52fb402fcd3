// Measures text with a canvas: the box of an SVG element, which Plotly asks for, makes the browser lay the page out each time.
const drawing = require("plotly.js/src/components/drawing");
const { LINE_SPACING } = require("plotly.js/src/constants/alignment");

const boxOfElement = drawing.bBox;
const canvas = document.createElement("canvas").getContext("2d");
const MARKED = /^(?:font-weight:bold|font-style:italic)?$/;
const PLACED = /^(?:translate\(([-\d.e]+),([-\d.e]+)\))?(?:rotate\(([-\d.e]+),([-\d.e]+),([-\d.e]+)\))?$/;
let font = "";

function fontOf({ style }, outer = {}) {
  return {
    style: style.fontStyle || outer.style || "normal",
    weight: style.fontWeight || outer.weight || "normal",
    size: style.fontSize || outer.size,
    family: style.fontFamily || outer.family,
  };
}

function measured(words, { style, weight, size, family }) {
  const wanted = `${style} ${weight} ${size} ${family}`;
  if (font !== wanted) canvas.font = font = wanted;
  return canvas.measureText(words);
}

// How long a line is; not a number where it has more than bold and italic marks.
function lengthOf(node, its) {
  let length = 0;
  for (const part of node.childNodes) {
    if (part.nodeType === Node.TEXT_NODE) length += measured(part.data, its).width;
    else if (part.nodeName !== "tspan" || part.hasAttribute("dy") || !MARKED.test(part.getAttribute("style") ?? "")) return NaN;
    else length += lengthOf(part, fontOf(part, its));
  }
  return length;
}

function boxOfText(text) {
  const its = fontOf(text);
  const isPlain = text.getAttribute("data-unformatted") && text.getAttribute("data-math") !== "Y" && its.size && its.family;
  if (!isPlain || !["", "none"].includes(text.style.textTransform)) return null;
  const lines = text.firstElementChild?.classList.contains("line") ? [...text.children] : [text];
  const width = Math.max(...lines.map((line) => lengthOf(line, its)));
  if (!(width > 0)) return null;
  const { fontBoundingBoxAscent, fontBoundingBoxDescent } = measured("", its);
  const anchor = text.getAttribute("text-anchor");
  const left = anchor === "middle" ? -width / 2 : anchor === "end" ? -width : 0;
  const bottom = fontBoundingBoxDescent + (lines.length - 1) * LINE_SPACING * parseFloat(its.size);
  return boxFrom(left, left + width, -fontBoundingBoxAscent, bottom);
}

function boxFrom(left, right, top, bottom) {
  return { left, right, top, bottom, width: right - left, height: bottom - top };
}

// A group of one text has that text's box where it stands, moved and turned.
function boxOf(node) {
  if (node.nodeName === "text") return boxOfText(node);
  const text = node.childNodes.length === 1 ? node.firstChild : null;
  const place = text?.nodeName === "text" ? PLACED.exec(text.getAttribute("transform") ?? "") : null;
  const box = place && boxOfText(text);
  if (!box) return null;
  const [x, y] = ["x", "y"].map((name) => Number(text.getAttribute(name)) || 0);
  const [, across, down, angle, aboutX, aboutY] = place.map((number) => Number(number) || 0);
  const turned = new DOMMatrix().translate(across + aboutX, down + aboutY).rotate(angle).translate(-aboutX, -aboutY);
  const corners = [box.left, box.right].flatMap((side) =>
    [box.top, box.bottom].map((end) => turned.transformPoint({ x: x + side, y: y + end })));
  const [acrosses, downs] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  return boxFrom(Math.min(...acrosses), Math.max(...acrosses), Math.min(...downs), Math.max(...downs));
}

drawing.bBox = (node, inTester, hash) => boxOf(node) ?? boxOfElement(node, inTester, hash);
