// The page's style sheet. Light and dark follow the system; the canvas reads its colours from the same variables.
export const pageStyle = `
:root {
  color-scheme: light dark;
  --surface: #fff; --raised: #faf9f7; --line: #e4e1dc; --text: #1d1b19; --hush: #6b665f;
  --accent: oklch(0.6 0.17 42); --hover: #f1eee9;
  --box-light: 0.83; --box-chroma: 0.098; --box-label: #1f1a14; --box-muted: #e6e3de; --mark: #1d1b1999;
  --match: oklch(0.62 0.2 38); --match-label: #fff; --faint-label: #5f5a53;
  --sans: Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  --mono: 'JetBrains Mono', ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --surface: #161412; --raised: #1d1b18; --line: #34302b; --text: #ece8e2; --hush: #a39c92;
    --accent: oklch(0.72 0.16 48); --hover: #2a2723;
    --box-light: 0.7; --box-chroma: 0.1; --box-label: #17130e; --box-muted: #8f8980; --mark: #ece8e2aa;
    --match: oklch(0.78 0.17 62); --match-label: #1d1203; --faint-label: #c9c2b8;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { height: 100%; margin: 0; }
body {
  display: flex; flex-direction: column; overflow: hidden; background: var(--surface); color: var(--text);
  font: 13px/1.4 var(--sans); font-variant-numeric: tabular-nums;
}
button, input, select { font: inherit; color: inherit; }
button { background: none; border: 0; padding: 0; cursor: pointer; text-align: left; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.hush { color: var(--hush); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

.head { display: flex; align-items: center; gap: 8px 20px; flex-wrap: wrap; padding: 10px 16px; background: var(--raised); border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: 10px; min-width: 0; }
.brand svg { width: 22px; height: 22px; flex: none; }
h1 { margin: 0; font-size: 16px; font-weight: 650; letter-spacing: -0.01em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#type-name { padding: 2px 8px; border-radius: 4px; background: var(--hover); font-weight: 550; }
#type { height: 28px; padding: 0 6px; background: var(--surface); border: 1px solid var(--line); border-radius: 4px; max-width: 60vw; }
#facts { display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 0; }
#facts div { display: flex; gap: 6px; align-items: baseline; }
#facts dt { color: var(--hush); }
#facts dd { margin: 0; font-weight: 600; white-space: nowrap; }
#resources { position: relative; margin-left: auto; }
#resources summary { cursor: pointer; color: var(--hush); padding: 3px 8px; border-radius: 4px; list-style: none; }
#resources summary::after { content: ' \\25be'; }
#resources summary:hover, #resources[open] summary { background: var(--hover); color: var(--text); }
#resource-list { position: absolute; right: 0; top: 30px; z-index: 3; width: max-content; max-width: min(640px, 92vw); max-height: 60vh; overflow: auto;
  background: var(--surface); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 8px 30px #0003; padding: 4px 14px; }
#resource-list dl { display: grid; grid-template-columns: auto 1fr; gap: 3px 16px; margin: 0; padding: 8px 0; }
#resource-list dl + dl { border-top: 1px solid var(--line); }
#resource-list dt { color: var(--hush); }
#resource-list dd { margin: 0; font-family: var(--mono); font-size: 12px; overflow-wrap: anywhere; }

.bar { display: flex; align-items: center; gap: 6px; flex-wrap: wrap; min-height: 40px; padding: 4px 16px; border-bottom: 1px solid var(--line); }
.bar button { height: 28px; padding: 0 10px; border-radius: 4px; white-space: nowrap; }
.bar button:hover { background: var(--hover); }
.bar button:disabled { color: var(--hush); opacity: 0.6; background: none; cursor: default; }
[role='tablist'] { display: flex; gap: 2px; margin-right: 10px; }
[role='tab'] { color: var(--hush); font-weight: 550; position: relative; }
[role='tab'][aria-selected='true'] { color: var(--text); }
[role='tab'][aria-selected='true']::after { content: ''; position: absolute; left: 10px; right: 10px; bottom: -7px; height: 2px; background: var(--accent); }
.search { display: flex; align-items: center; gap: 4px; flex: 0 1 auto; min-width: 0; }
#search { width: 300px; max-width: 46vw; height: 28px; padding: 0 10px; border: 1px solid var(--line); border-radius: 4px; background: var(--surface); }
#search:focus { outline: 2px solid var(--accent); outline-offset: -1px; }
#hits { color: var(--hush); padding: 0 4px; white-space: nowrap; }
#hits:empty ~ button { display: none; }
.search button { width: 28px; padding: 0; text-align: center; }
.push { margin-left: auto; }
#flip[aria-pressed='true'] { background: var(--hover); }
kbd { font: 11px var(--mono); color: var(--hush); border: 1px solid var(--line); border-radius: 3px; padding: 0 4px; margin-left: 4px; }

.way { display: flex; align-items: center; gap: 16px; height: 28px; padding: 0 16px; color: var(--hush); white-space: nowrap; overflow: hidden; }
#crumbs { display: flex; align-items: center; min-width: 0; overflow: hidden; }
#crumbs > * + *::before { content: '\\203a'; padding: 0 6px; color: var(--hush); }
#crumbs button { font: 12px var(--mono); color: var(--hush); overflow: hidden; text-overflow: ellipsis; max-width: 320px; }
#crumbs button:hover { color: var(--text); text-decoration: underline; }
#crumbs .here { color: var(--text); }
#note { margin-left: auto; }
body[data-tab='table'] .way, body[data-tab='table'] .graph-only { visibility: hidden; }

#graph { flex: 1; min-height: 0; display: flex; padding: 0 16px; }
#scroll { flex: 1; min-width: 0; overflow: hidden auto; }
#canvas { position: sticky; top: 0; display: block; touch-action: pan-y; }
#canvas:focus-visible { outline-offset: -1px; }

#table { flex: 1; min-height: 0; overflow: auto; margin-top: -28px; background: var(--surface); }
table { border-collapse: separate; border-spacing: 0; width: 100%; table-layout: fixed; min-width: 680px; }
.c1 { width: 104px; }
.c2 { width: 84px; }
.c3 { width: 26%; }
th { position: sticky; top: 0; z-index: 1; height: 30px; padding: 0; background: var(--raised); border-bottom: 1px solid var(--line); font-weight: 550; color: var(--hush); text-align: left; }
th button { width: 100%; height: 29px; padding: 0 10px; font-weight: 550; }
th.number button { text-align: right; }
th span { padding: 0 10px; }
th[aria-sort='descending'] button, th[aria-sort='ascending'] button { color: var(--text); }
th[aria-sort='descending'] button::after { content: ' \\2193'; }
th[aria-sort='ascending'] button::after { content: ' \\2191'; }
td { height: 26px; padding: 0 10px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
tbody tr:hover { background: var(--hover); }
.number { text-align: right; }
td.share { position: relative; padding-left: 6px; color: var(--hush); }
td.share i { position: absolute; left: 2px; top: 5px; bottom: 5px; max-width: calc(100% - 4px); background: var(--accent); opacity: 0.22; border-radius: 2px; }
td.share span { position: relative; }
td.name { font: 12px var(--mono); }
td.name button { max-width: calc(100% - 20px); overflow: hidden; text-overflow: ellipsis; vertical-align: bottom; }
td.name button:hover { text-decoration: underline; }
td.place { color: var(--hush); font: 12px var(--mono); }
#table-note { padding: 10px 16px; color: var(--hush); }
#table-note:empty { display: none; }

.swatch { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 7px; flex: none; }
#legend { display: flex; flex-wrap: wrap; gap: 2px 4px; height: 30px; overflow: hidden; padding: 3px 10px; border-top: 1px solid var(--line); }
#legend:empty { display: none; }
.chip { display: flex; align-items: center; height: 24px; padding: 0 7px; border-radius: 4px; max-width: 260px; white-space: nowrap; }
.chip span { overflow: hidden; text-overflow: ellipsis; }
.chip .hush { margin-left: 6px; overflow: visible; }
.chip:hover, .chip[aria-pressed='true'] { background: var(--hover); }
#detail { display: flex; align-items: center; gap: 2px 14px; min-height: 36px; padding: 6px 16px; border-top: 1px solid var(--line); background: var(--raised); white-space: nowrap; overflow: hidden; }
#detail strong { font: 600 12px var(--mono); overflow: hidden; text-overflow: ellipsis; min-width: 80px; }
.place { color: var(--hush); font-family: var(--mono); font-size: 12px; overflow: hidden; text-overflow: ellipsis; }
.facts { display: flex; gap: 14px; margin-left: auto; flex: none; }
b { font-weight: 600; }

#tip { position: fixed; z-index: 4; pointer-events: none; max-width: min(560px, 90vw); padding: 9px 12px; background: var(--surface); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 6px 24px #0003; }
#tip strong { display: block; font: 600 12px/1.4 var(--mono); overflow-wrap: anywhere; }
#tip .place { white-space: normal; overflow-wrap: anywhere; }
.grid { display: grid; grid-template-columns: auto 1fr; gap: 1px 14px; margin-top: 5px; }
dialog { border: 1px solid var(--line); border-radius: 8px; padding: 18px 22px; background: var(--surface); color: var(--text); box-shadow: 0 12px 48px #0005; }
dialog::backdrop { background: #0006; }
dialog h2 { margin: 0 0 10px; font-size: 16px; }
#key-list { display: grid; grid-template-columns: auto 1fr; gap: 5px 18px; margin: 0 0 14px; }
#key-list dt { font: 12px var(--mono); }
#key-list dd { margin: 0; }
#close { height: 28px; padding: 0 14px; border: 1px solid var(--line); border-radius: 4px; }
.noscript { padding: 16px; }
@media (max-width: 900px) {
  kbd { display: none; }
  #detail { flex-wrap: wrap; }
  #detail strong, #detail .place { max-width: 100%; }
  .facts { margin-left: 0; flex: 0 1 auto; flex-wrap: wrap; gap: 2px 14px; }
  #search { width: 200px; }
}
@media (max-width: 600px) {
  .head, .bar, .way { padding-left: 10px; padding-right: 10px; }
  #graph { padding: 0 6px; }
  #facts { gap: 2px 12px; }
  .fact > .hush + b + .hush { display: none; }
}
`
