// Lines, bars, maps of values and icicles; lines are in the core.
const Plotly = require("plotly.js/lib/core");
Plotly.register([require("plotly.js/lib/bar"), require("plotly.js/lib/heatmap"), require("plotly.js/lib/icicle")]);
require("./measure.js");
module.exports = Plotly;
