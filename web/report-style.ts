// The one style sheet of the report; follows the reader's light or dark.

export const reportStyle = `
:root { color-scheme: light dark; --ink: #1c2024; --dim: #60646c; --line: #e0e1e6; --paper: #fcfcfd; --card: #f5f6f8;
  --reward: #d97706; --truth: #0d74ce; --good: #18794e; --bad: #ce2c31; --warn: #ab6400; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --dim: #a0a4ab; --line: #32353b; --paper: #111215;
  --card: #1a1c20; --reward: #ffb454; --truth: #70b8ff; --good: #3dd68c; --bad: #ff9592; --warn: #ffca16; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 80px; }
h1 { font-size: 28px; margin: 0 0 16px; } h2 { font-size: 19px; margin: 40px 0 12px; border-bottom: 1px solid var(--line);
  padding-bottom: 6px; } h3 { font: 600 13px/1.3 ui-monospace, monospace; margin: 0; overflow-wrap: anywhere; }
p { margin: 6px 0; } small { display: block; color: var(--dim); font-size: 13px; }
code { font: 12px ui-monospace, monospace; color: var(--dim); overflow-wrap: anywhere; }
a { color: var(--truth); } .note, .legend { color: var(--dim); font-size: 14px; }
.digest { font: 11px ui-monospace, monospace; color: var(--dim); text-decoration: none; border-bottom: 1px dotted var(--dim); }
a.digest:hover { color: var(--truth); }
.state { font-size: 14px; font-weight: 500; padding: 3px 10px; border-radius: 99px; background: var(--card); vertical-align: middle; }
.state.finished { color: var(--good); } .state.parked, .state.aborted { color: var(--bad); }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin-bottom: 12px; }
.tile { background: var(--card); border-radius: 8px; padding: 10px 16px; min-width: 150px; }
.tile span { display: block; color: var(--dim); font-size: 13px; } .tile strong { font-size: 22px; font-variant-numeric: tabular-nums; }
.tile strong .digest { display: inline; font-size: 11px; }
.wide, .plot { overflow-x: auto; } .plot { margin: 8px 0; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--dim); font-weight: 500; } th, td { padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; } td small { max-width: 320px; }
.key { color: var(--dim); display: inline-block; min-width: 130px; }
.promote, .pass { color: var(--good); } .prune, .reject, .revert { color: var(--bad); } .no-decision { color: var(--warn); }
.gate { background: var(--card); border-left: 3px solid currentColor; padding: 10px 14px; border-radius: 0 8px 8px 0; }
.gate .key, .gate { font-size: 14px; } p.gate { color: var(--ink); } p.gate.promote { border-color: var(--good); } p.gate.reject { border-color: var(--bad); }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 5px; margin: 0 4px 0 14px; }
.legend i:first-child { margin-left: 0; } i.reward { background: var(--reward); } i.truth { background: var(--truth); }
i.incumbent { height: 2px !important; width: 18px !important; background: var(--ink); vertical-align: middle; }
.small { display: flex; flex-wrap: wrap; gap: 8px; } .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 12px; }
.card { background: var(--card); border-radius: 8px; padding: 12px; } .card.warn { outline: 1px solid var(--warn); }
.card.critical { outline: 1px solid var(--bad); } .card svg { width: 100%; height: auto; margin-top: 6px; } .card p { font-variant-numeric: tabular-nums; }
svg { font-family: system-ui, sans-serif; } svg .label { fill: var(--dim); font-size: 11px; } svg .strong { fill: var(--ink); font-weight: 600; }
svg .grid { stroke: var(--line); } svg .between { stroke: var(--dim); stroke-dasharray: 2 3; }
svg circle.reward { fill: var(--paper); stroke: var(--reward); stroke-width: 2.5; } svg circle.truth { fill: var(--truth); }
svg .incumbent { stroke: var(--ink); stroke-width: 1.5; fill: none; } svg .line { fill: none; stroke-width: 1.8; }
svg .paid { stroke: var(--reward); } svg .hidden-score { stroke: var(--truth); stroke-dasharray: 4 3; } svg .plain { stroke: var(--truth); }
svg .healthy { fill: var(--good); opacity: 0.12; } svg .interval { stroke: var(--truth); } svg .point { fill: var(--truth); }
svg .point.warn { fill: var(--warn); } svg .point.critical { fill: var(--bad); }
svg text.promote { fill: var(--good); } svg text.prune, svg text.revert { fill: var(--bad); }
svg .node { fill: var(--card); stroke: var(--line); } svg .node.promote { stroke: var(--good); stroke-width: 2; }
svg .node.prune, svg .node.revert { stroke: var(--bad); } svg .edge { fill: none; stroke: var(--line); stroke-width: 1.5; }
svg .edge.promote { stroke: var(--good); stroke-width: 2; }
@media print { body { background: white; } section { break-inside: avoid; } }
`;
