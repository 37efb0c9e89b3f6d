// Builds one HTML file from the page's data: skeleton, style, script and the data itself. The Content-Security-Policy
// in its head allows only the script whose hash it names, and no requests. Even a name that slipped through the
// escaping below could do no harm.
import { sha256 } from '../../wire/sha256.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { PageData } from './page-data.ts'
import { pageGraph } from './page-graph.ts'
import { pageLogic } from './page-logic.ts'
import { pagePanels } from './page-panels.ts'
import { pageStart } from './page-start.ts'
import { pageStyle } from './page-style.ts'
import { base64 } from './varint-text.ts'

/** Wrapped in a function, because names like `top` and `self` would otherwise refer to the window's properties. */
export const pageScript = `(() => {
'use strict'
${pageLogic}${pageGraph}${pagePanels}${pageStart}})()
`

let policy: string | undefined

export function pageHtml(data: PageData, title: string): string {
  policy ??= makePolicy()
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Hearth">
<title>${escapeHtml([title, ...data.profiles.map(profile => profile.type)].slice(0, 4).join(' \u00b7 '))}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style>${pageStyle}</style>
</head>
<body data-tab="graph">
${skeleton(title)}
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${pageScript}</script>
</body>
</html>
`
}

/**
 * Writes JSON without any `<`, so neither `</script` nor `<!--`, and without line separators that only JavaScript
 * recognises.
 */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>\u2028\u2029]/g,
    letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)
}

function makePolicy(): string {
  return [
    "default-src 'none'",
    `script-src ${hashSource(pageScript)}`,
    `style-src ${hashSource(pageStyle)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function hashSource(text: string): string {
  return `'sha256-${base64(sha256(encodeUtf8(text)))}'`
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" aria-hidden="true">' +
  '<path fill="#e8590c" d="M12.6 1.5c.6 3.6-.9 5.4-2.7 7.4C7.9 11 5.5 13.2 5.5 16.3c0 3.5 2.9 6.2 6.5 6.2s6.5-2.7 6.5-6.3c0-2.4-1-4.2-2.2-5.9-.3 1.2-.9 2-1.9 2.6.5-4.3-.1-8.5-1.8-11.4z"/>' +
  '<path fill="#ffc078" d="M12 12.6c.2 1.7-.6 2.5-1.4 3.4-.6.7-1.2 1.4-1.2 2.5 0 1.5 1.2 2.6 2.7 2.6s2.7-1.1 2.7-2.7c0-2.3-1.6-3.5-2.8-5.8z"/></svg>'

function skeleton(title: string): string {
  return `<header class="head">
<div class="brand">${icon}<h1>${escapeHtml(title)}</h1></div>
<select id="type" aria-label="Profile type"></select><span id="type-name"></span>
<dl id="facts"></dl>
<details id="resources"><summary>Resource</summary><div id="resource-list"></div></details>
</header>
<div class="bar">
<div role="tablist" aria-label="View"><button role="tab" id="tab-graph" aria-controls="graph" aria-selected="true">Flame graph</button><button role="tab" id="tab-table" aria-controls="table" aria-selected="false" tabindex="-1">Table</button></div>
<div class="search" role="search"><input id="search" type="search" placeholder="Search, or /expression/" aria-label="Search functions and files" spellcheck="false" autocomplete="off"><output id="hits" for="search"></output><button id="previous" class="graph-only" aria-label="Previous match">\u2039</button><button id="next" class="graph-only" aria-label="Next match">\u203a</button></div>
<span class="push"></span>
<button id="reset" class="graph-only" disabled>Reset<kbd>Esc</kbd></button><button id="flip" class="graph-only" aria-pressed="false">Flip<kbd>i</kbd></button><button id="keys">Keys<kbd>?</kbd></button>
</div>
<div class="way"><nav id="crumbs" aria-label="Zoomed to"></nav><span id="note"></span></div>
<section id="graph" role="tabpanel" aria-labelledby="tab-graph"><div id="scroll"><canvas id="canvas" tabindex="0" role="application" aria-label="Flame graph: arrow keys walk from box to box, Enter zooms, ? lists all keys"></canvas><div id="spacer"></div></div></section>
<section id="table" role="tabpanel" aria-labelledby="tab-table" tabindex="0" hidden><table id="grid">
<colgroup><col class="c1"><col class="c2"><col class="c1"><col class="c2"><col><col class="c3"></colgroup>
<thead><tr><th class="number" data-key="self" scope="col"><button>Self</button></th><th scope="col" aria-label="Share of self"></th><th class="number" data-key="total" scope="col"><button>Total</button></th><th scope="col" aria-label="Share of total"></th><th data-key="name" scope="col"><button>Function</button></th><th scope="col"><span>File or package</span></th></tr></thead>
<tbody id="rows"></tbody></table><div id="table-note"></div></section>
<footer><div id="legend" role="group" aria-label="Packages by self"></div><div id="detail"></div></footer>
<div id="tip" hidden></div>
<div id="live" class="unseen" aria-live="polite"></div>
<dialog id="help" aria-labelledby="help-title"><h2 id="help-title">Keys</h2><dl id="key-list"></dl><button id="close">Close</button></dialog>
<noscript><p class="noscript">A script in this file draws the flame graph, but scripts are disabled here.</p></noscript>`
}
