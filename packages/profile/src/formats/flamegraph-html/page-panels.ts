// The part of the page's script around the flame graph: details, search, table, legend, keys. page-logic.ts explains
// why it is a string. Texts enter the document only as text, never as markup.
export const pagePanels = String.raw`
const TABLE_ROW = 26

/** @param {string} tag @param {string} [className] @param {string} [text] */
function element(tag, className, text) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

/** @param {bigint} value */
const show = value => formatValue(value, profile.unit)
/** @param {Frame} frame */
const sourceOf = frame => (frame.file ? frame.file + (frame.line ? ':' + frame.line : '') : frame.mapping || frame.group)

/** The details of a node, the most interesting first. @param {number} node @returns {[string, string, string][]} label, value, exact value */
function detailsOf(node) {
  const total = tree.totalOf(node)
  const self = tree.selfOf(node)
  const all = tree.totalOf(0)
  const above = tree.parent[node]
  /** @type {[string, string, string][]} */
  const facts = [
    ['total', show(total), formatExact(total, profile.unit)],
    ['self', show(self), formatExact(self, profile.unit)],
    ['of all', formatShare(total, all), ''],
  ]
  if (above > 0) facts.push(['of caller', formatShare(total, tree.totalOf(above)), ''])
  if (zoomed > 0 && node > zoomed && node < tree.end[zoomed]) facts.push(['of view', formatShare(total, tree.totalOf(zoomed)), ''])
  return facts
}

/** @param {number} node */
function announcement(node) {
  const above = tree.parent[node]
  let callees = 0
  for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) callees++
  const share = formatShare(tree.totalOf(node), tree.totalOf(0)) + ' of all'
  const ofCaller = above > 0 ? ', ' + formatShare(tree.totalOf(node), tree.totalOf(above)) + ' of ' + nameOf(above) : ''
  return nameOf(node) + ', total ' + show(tree.totalOf(node)) + ', ' + share + ofCaller + ', self ' + show(tree.selfOf(node)) +
    ', level ' + (tree.depth[node] + 1) + ', ' + callees + (callees === 1 ? ' callee' : ' callees')
}

/** @param {number} node */
function showDetail(node) {
  const detail = byId('detail')
  const at = node >= 0 ? node : zoomed
  const frame = frames[tree.frame[at]]
  detail.replaceChildren(element('strong', '', nameOf(at)))
  if (sourceOf(frame)) detail.append(element('span', 'place', sourceOf(frame)))
  const facts = element('span', 'facts')
  for (const [label, value, exact] of detailsOf(at)) {
    const fact = element('span', 'fact')
    fact.append(element('span', 'hush', label), ' ', element('b', '', value))
    if (exact && exact !== value && value !== '0 s') fact.append(element('span', 'hush', ' (' + exact + ')'))
    facts.append(fact)
  }
  detail.append(facts)
}

/** @param {PointerEvent} event @param {number} node */
function showTip(event, node) {
  const tip = byId('tip')
  tip.hidden = node < 0
  if (node < 0) return
  if (tip.dataset.node !== String(node)) {
    const frame = frames[tree.frame[node]]
    tip.dataset.node = String(node)
    tip.replaceChildren(element('strong', '', nameOf(node)))
    if (tree.frame[node] === HIDDEN) tip.append(element('div', 'place', 'calls too small for this page'))
    if (sourceOf(frame)) tip.append(element('div', 'place', sourceOf(frame)))
    const grid = element('div', 'grid')
    for (const [label, value] of detailsOf(node)) grid.append(element('span', 'hush', label), element('b', '', value))
    if (frame.group && frame.group !== frame.kind) grid.append(element('span', 'hush', 'package'), element('span', '', frame.group))
    if (frame.kind) grid.append(element('span', 'hush', 'type'), element('span', '', frame.kind))
    tip.append(grid)
  }
  const { offsetWidth, offsetHeight } = tip
  const left = event.clientX + 14 + offsetWidth > innerWidth - 8 ? event.clientX - 14 - offsetWidth : event.clientX + 14
  const top = event.clientY + 18 + offsetHeight > innerHeight - 8 ? event.clientY - 12 - offsetHeight : event.clientY + 18
  tip.style.left = Math.max(8, left) + 'px'
  tip.style.top = Math.max(8, top) + 'px'
}

function hideTip() {
  byId('tip').hidden = true
  byId('tip').dataset.node = ''
}

/** The path to the zoomed node. A long path is shortened to its start and end. */
function showCrumbs() {
  const path = []
  for (let i = zoomed; i >= 0; i = tree.parent[i]) path.unshift(i)
  const shown = path.length > 6 ? [path[0], -1, ...path.slice(-4)] : path
  byId('crumbs').replaceChildren(...shown.map(node => {
    if (node < 0) return element('span', 'hush', path.length - 5 + ' more')
    const crumb = element('button', node === zoomed ? 'here' : '', node === 0 ? 'all' : shortName(nameOf(node)))
    crumb.title = nameOf(node)
    crumb.onclick = () => zoomTo(node)
    return crumb
  }))
}

/** @param {boolean} isZoomed */
function showReset(isZoomed) {
  byId('reset').toggleAttribute('disabled', !isZoomed && search.value === '')
}

const search = /** @type {HTMLInputElement} */ (byId('search'))
/** @type {number[]} */
let found = []
let foundAt = -1

function runSearch() {
  const test = matcher(search.value)
  const hits = byId('hits')
  matching = typeof test === 'function' ? Uint8Array.from(frames, (frame, f) => (f > HIDDEN && test(frame) ? 1 : 0)) : undefined
  found = []
  foundAt = -1
  hits.textContent = typeof test === 'string' ? test : ''
  if (matching) {
    const { nodes, total } = findNodes(tree, matching)
    found = nodes
    const count = nodes.length === 1 ? '1 match' : grouped(BigInt(nodes.length)) + ' matches'
    hits.textContent = count + (nodes.length > 0 ? ' \u00b7 ' + formatShare(total, tree.totalOf(0)) : '')
    hits.title = formatExact(total, profile.unit)
  }
  for (const chip of byId('legend').children) chip.setAttribute('aria-pressed', String(search.value === 'package:' + chip.getAttribute('data-group')))
  showReset(view.w < 1)
  listRows()
  redraw()
}

/** @param {number} step */
function goToMatch(step) {
  if (found.length === 0) return
  foundAt = (foundAt + step + found.length) % found.length
  focusOn(found[foundAt])
}

/** @type {Table} */
let table = []
/** @type {Table} */
let listed = []
let sortedBy = 'self'
let descending = true

function listRows() {
  if (byId('table').hidden) return
  if (table.length === 0) table = readTable(profile)
  const test = matching
  listed = test ? table.filter(row => test[row.frame] === 1) : table.slice()
  const sign = descending ? -1 : 1
  /** @param {Table[0]} row */
  const key = row => (sortedBy === 'self' ? row.self : sortedBy === 'total' ? row.total : frames[row.frame].name.toLowerCase())
  listed.sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0))
  byId('table').scrollTop = 0
  showRows()
}

/** Only visible rows are in the document. */
function showRows() {
  const box = byId('table')
  const from = Math.max(0, Math.floor(box.scrollTop / TABLE_ROW) - 10)
  const to = Math.min(listed.length, from + Math.ceil(box.clientHeight / TABLE_ROW) + 20)
  const all = BigInt(profile.total)
  /** The maximum of each column, for the length of its bars. @type {[bigint, bigint]} */
  const most = [table.reduce((most, row) => (row.self > most ? row.self : most), 1n), table.reduce((most, row) => (row.total > most ? row.total : most), 1n)]
  const body = byId('rows')
  /** @param {number} count */
  const gap = count => {
    const row = element('tr')
    row.setAttribute('aria-hidden', 'true')
    row.style.height = count * TABLE_ROW + 'px'
    return row
  }
  body.replaceChildren(gap(from), ...listed.slice(from, to).map((row, i) => tableRow(row, from + i, all, most)), gap(listed.length - to))
  byId('grid').setAttribute('aria-rowcount', String(listed.length + 1))
  for (const head of document.querySelectorAll('th[data-key]')) {
    head.setAttribute('aria-sort', head.getAttribute('data-key') !== sortedBy ? 'none' : descending ? 'descending' : 'ascending')
  }
  const hidden = profile.hiddenRows > 0 ? grouped(BigInt(profile.hiddenRows)) + ' functions too small for this page are not listed' : ''
  byId('table-note').textContent = listed.length === 0 ? 'No function matches' : hidden
}

/** @param {Table[0]} row @param {number} index @param {bigint} all @param {[bigint, bigint]} most */
function tableRow(row, index, all, most) {
  const frame = frames[row.frame]
  const made = element('tr')
  made.setAttribute('aria-rowindex', String(index + 2))
  for (const [i, value] of [row.self, row.total].entries()) {
    const cell = element('td', 'number', show(value))
    cell.title = formatExact(value, profile.unit)
    const share = element('td', 'share')
    const bar = element('i')
    bar.style.width = Math.max(0, Number((value * 1000n) / most[i])) / 10 + '%'
    share.append(bar, element('span', '', formatShare(value, all)))
    made.append(cell, share)
  }
  const name = element('td', 'name')
  const link = element('button', '', frame.name)
  const swatch = element('i', 'swatch')
  swatch.style.background = fillOf(row.frame)
  link.title = 'Show in the flame graph'
  link.onclick = () => {
    search.value = frame.name
    selectTab('graph')
    runSearch()
  }
  name.append(swatch, link)
  const place = element('td', 'place', sourceOf(frame))
  place.title = sourceOf(frame)
  made.append(name, place)
  return made
}

/** @param {string} name */
function selectTab(name) {
  for (const id of ['graph', 'table']) {
    byId(id).hidden = id !== name
    byId('tab-' + id).setAttribute('aria-selected', String(id === name))
    byId('tab-' + id).tabIndex = id === name ? 0 : -1
  }
  document.body.dataset.tab = name
  hideTip()
  if (name === 'table') listRows()
  else resize()
}

/** The packages with the largest self values, with their colours. */
function showLegend() {
  /** @type {Map<string, { self: bigint, frame: number }>} */
  const groups = new Map()
  for (const { frame, self } of readTable(profile)) {
    const { group } = frames[frame]
    const known = groups.get(group)
    if (known) known.self += self
    else if (group) groups.set(group, { self, frame })
  }
  const largest = [...groups].filter(([, { self }]) => self > 0n).sort((a, b) => (a[1].self < b[1].self ? 1 : -1)).slice(0, 12)
  byId('legend').replaceChildren(...largest.map(([group, { self, frame }]) => {
    const chip = element('button', 'chip')
    const swatch = element('i', 'swatch')
    swatch.style.background = fillOf(frame)
    chip.append(swatch, element('span', '', group), element('span', 'hush', formatShare(self, BigInt(profile.total))))
    chip.dataset.group = group
    chip.title = 'Self of ' + group + ': ' + show(self)
    chip.onclick = () => {
      search.value = search.value === 'package:' + group ? '' : 'package:' + group
      runSearch()
    }
    return chip
  }))
}

function showSummary() {
  const facts = byId('facts')
  /** @param {string} label @param {string} value @param {string} [title] */
  const fact = (label, value, title) => {
    const made = element('div')
    made.append(element('dt', '', label), element('dd', '', value))
    made.title = title || ''
    facts.append(made)
  }
  facts.replaceChildren()
  const total = BigInt(profile.total)
  fact('Total', show(total), formatExact(total, profile.unit))
  if (profile.samples > 0) fact('Samples', grouped(BigInt(profile.samples)))
  if (profile.merged > 1) fact('Profiles', grouped(BigInt(profile.merged)))
  if (profile.duration !== '0') fact('Duration', formatValue(BigInt(profile.duration), NANOSECONDS), formatExact(BigInt(profile.duration), NANOSECONDS))
  if (profile.time) {
    const time = new Date(profile.time.replace(/(\.\d{3})\d+/, '$1'))
    fact('Started', time.toLocaleString([], { dateStyle: 'medium', timeStyle: 'long' }), profile.time)
  }
  const notes = []
  if (profile.hiddenNodes > 0) notes.push(grouped(BigInt(profile.hiddenNodes)) + ' small boxes hidden, with ' + profile.hiddenShare + ' of the total')
  if (profile.negative) notes.push('some values are negative; widths show absolute values')
  if (profile.nodes === 1) notes.push('no samples')
  byId('note').textContent = notes.join(' \u00b7 ') || 'Click to zoom, drag to move, Ctrl and wheel to scale'
}

/** @type {Unit} */
const NANOSECONDS = { kind: 'time', numerator: '1', denominator: '1', one: ' ns', many: ' ns' }

/** @param {number} index */
function selectProfile(index) {
  profile = data.profiles[index] || NOTHING
  tree = readTree(profile)
  table = []
  zoomed = 0
  view = { x: 0, w: 1 }
  hovered = focused = -1
  showSummary()
  showLegend()
  showCrumbs()
  showDetail(0)
  runSearch()
  resize()
  if (upward) scroll.scrollTop = scroll.scrollHeight
}
`
