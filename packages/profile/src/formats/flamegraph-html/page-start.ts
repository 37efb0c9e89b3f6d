// The last part of the page's script: keys, buttons and the first drawing. page-logic.ts explains why it is a string.
export const pageStart = String.raw`
const zoomOut = () => zoomTo(Math.max(0, tree.parent[zoomed]))
const here = () => (focused >= 0 ? focused : zoomed)
const toCallee = () => focusOn(here() + 1 < tree.end[here()] ? here() + 1 : here())
const toCaller = () => focusOn(Math.max(0, tree.parent[here()]))

function flip() {
  upward = !upward
  byId('flip').setAttribute('aria-pressed', String(upward))
  resize()
  scroll.scrollTop = upward ? scroll.scrollHeight : 0
  scrollToRow(tree.depth[here()], 0.4)
  draw()
}

function reset() {
  focused = -1
  if (search.value) {
    search.value = ''
    runSearch()
  }
  zoomTo(0)
  showDetail(-1)
}

/** All keys with their names, descriptions and actions. The help lists them. @type {[string[], string, string, () => void][]} */
const KEYS = [
  [['ArrowDown'], '\u2193', 'down: to the callee (to the caller in a flame graph)', () => (upward ? toCaller() : toCallee())],
  [['ArrowUp'], '\u2191', 'up: to the caller (to the callee in a flame graph)', () => (upward ? toCallee() : toCaller())],
  [['ArrowLeft'], '\u2190', 'to the previous sibling', () => focusOn(siblingOf(tree, here(), -1))],
  [['ArrowRight'], '\u2192', 'to the next sibling', () => focusOn(siblingOf(tree, here(), 1))],
  [['Enter'], 'Enter', 'zoom to the selected box', () => zoomTo(here())],
  [['Backspace'], 'Backspace', 'zoom out to the caller', zoomOut],
  [['Escape', '0'], 'Esc, 0', 'show everything again', reset],
  [['+', '='], '+', 'zoom in (also Ctrl and wheel)', () => scaleAt(1 / 1.5, width / 2)],
  [['-'], '-', 'zoom out', () => scaleAt(1.5, width / 2)],
  [['/'], '/', 'search', () => search.select()],
  [['n'], 'n', 'next match', () => goToMatch(1)],
  [['N'], 'N', 'previous match', () => goToMatch(-1)],
  [['i'], 'i', 'icicle or flame graph', flip],
  [['t'], 't', 'flame graph or table', () => selectTab(byId('table').hidden ? 'table' : 'graph')],
  [['?'], '?', 'this help', () => help.showModal()],
]
const help = /** @type {HTMLDialogElement} */ (byId('help'))

document.addEventListener('keydown', event => {
  const target = /** @type {HTMLElement} */ (event.target)
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return
  if (target === search) {
    if (event.key === 'Enter') goToMatch(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') {
      search.value = ''
      runSearch()
      canvas.focus()
    } else return
    event.preventDefault()
    return
  }
  if (target.tagName === 'SELECT') return
  // Buttons keep their own keys, and the arrow keys scroll a table.
  if (event.key === 'Enter' && (target.tagName === 'BUTTON' || target.tagName === 'SUMMARY')) return
  if (event.key.startsWith('Arrow') && (byId('graph').hidden || target.getAttribute('role') === 'tab')) return
  const key = KEYS.find(([names]) => names.includes(event.key))
  if (!key) return
  event.preventDefault()
  hideTip()
  key[3]()
})

search.addEventListener('input', runSearch)
byId('next').onclick = () => goToMatch(1)
byId('previous').onclick = () => goToMatch(-1)
byId('flip').onclick = flip
byId('reset').onclick = reset
byId('keys').onclick = () => help.showModal()
byId('close').onclick = () => help.close()
for (const name of ['graph', 'table']) {
  byId('tab-' + name).onclick = () => selectTab(name)
  byId('tab-' + name).onkeydown = event => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const other = name === 'graph' ? 'table' : 'graph'
    selectTab(other)
    byId('tab-' + other).focus()
  }
}
for (const head of document.querySelectorAll('th[data-key] button')) {
  head.addEventListener('click', () => {
    const key = /** @type {string} */ (/** @type {HTMLElement} */ (head.parentElement).dataset.key)
    descending = key === sortedBy ? !descending : key !== 'name'
    sortedBy = key
    listRows()
  })
}
byId('table').addEventListener('scroll', showRows)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  theme = readTheme()
  fills = []
  showLegend()
  showRows()
  draw()
})
new ResizeObserver(() => (byId('graph').hidden ? showRows() : resize())).observe(document.body)

for (const [, keys, does] of KEYS) byId('key-list').append(element('dt', '', keys), element('dd', '', does))
const type = /** @type {HTMLSelectElement} */ (byId('type'))
for (const { type: name, unit } of data.profiles) type.append(element('option', '', name + (unit.many ? ' \u00b7' + unit.many : '')))
type.hidden = data.profiles.length < 2
byId('type-name').hidden = !type.hidden
byId('type-name').textContent = profile.type
type.onchange = () => selectProfile(type.selectedIndex)

const resources = /** @type {HTMLDetailsElement} */ (byId('resources'))
document.addEventListener('pointerdown', event => {
  if (!resources.contains(/** @type {Node} */ (event.target))) resources.open = false
})
resources.hidden = data.resources.length === 0
for (const { attributes } of data.resources) {
  const list = element('dl')
  for (const [key, value] of attributes) list.append(element('dt', '', key), element('dd', '', value))
  byId('resource-list').append(list)
}
selectProfile(0)
`
