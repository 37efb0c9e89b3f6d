// The part of the page's script that draws the flame graph and handles pointer and keys. page-logic.ts explains why it
// is a string. Each frame is drawn from scratch: finding the visible part of 200,000 nodes takes 0.2 ms, and there are
// never more boxes than pixels.
export const pageGraph = String.raw`
const ROW = 20
const PAD = 5
const LABEL_FROM = 22

/** @param {string} id */
const byId = id => /** @type {HTMLElement} */ (document.getElementById(id))
const canvas = /** @type {HTMLCanvasElement} */ (byId('canvas'))
const scroll = byId('scroll')
const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { alpha: false }))
const calm = matchMedia('(prefers-reduced-motion: reduce)')

const data = /** @type {Data} */ (JSON.parse(byId('data').textContent || ''))
const frames = readFrames(data)

let profile = data.profiles[0] || NOTHING
let tree = readTree(profile)
let view = { x: 0, w: 1 }
let zoomed = 0
let hovered = -1
let focused = -1
let rows = 1
let upward = false
/** @type {Uint8Array | undefined} */
let matching
let width = 0
let height = 0

/** Colours of the current theme, and of each frame once it was drawn. */
let theme = readTheme()
/** @type {string[]} */
let fills = []

function readTheme() {
  const style = getComputedStyle(document.documentElement)
  /** @param {string} name */
  const value = name => style.getPropertyValue('--' + name).trim()
  context.font = '12px ' + value('mono')
  return {
    surface: value('surface'), text: value('text'), muted: value('box-muted'), label: value('box-label'),
    match: value('match'), matchLabel: value('match-label'), faintLabel: value('faint-label'), mark: value('mark'), font: context.font,
    light: Number(value('box-light')), chroma: Number(value('box-chroma')),
    letter: context.measureText('MMMMMMMMMM').width / 10,
  }
}

const NATIVE = ['native', 'rust']

/**
 * Hue by package, so that a library has the same colour in every profile: warm for programs and their runtimes, cool for native
 * code, grey for the kernel. The lightness varies with the name, so that neighbours differ.
 * @param {number} f
 */
function fillOf(f) {
  if (fills[f] === undefined) {
    const { name, group, kind } = frames[f]
    const hash = hashOf(group || name)
    const part = (hash >>> 8) / 2 ** 24
    const hue = NATIVE.includes(kind) ? 170 + part * 110 : (350 + part * 155) % 360
    const light = theme.light + ((hash % 3) - 1) * 0.035 + ((hashOf(name) % 7) - 3) * 0.007
    const chroma = group === 'kernel' ? 0.02 : hash & 4 ? theme.chroma : theme.chroma * 0.8
    fills[f] = f <= HIDDEN ? theme.muted : 'oklch(' + light + ' ' + chroma + ' ' + (group === 'kernel' ? 265 : hue) + ')'
  }
  return fills[f]
}

let drawDue = false
function redraw() {
  if (drawDue) return
  drawDue = true
  requestAnimationFrame(() => {
    drawDue = false
    draw()
  })
}

/** The y coordinate of a depth, from the top of the canvas. @param {number} depth */
function topOf(depth) {
  const row = upward ? rows - 1 - depth : depth
  const slack = upward ? Math.max(0, height - rows * ROW) : 0
  return row * ROW - scroll.scrollTop + slack
}

/** @param {number} y @returns {number} */
function depthAt(y) {
  const row = Math.floor((y + scroll.scrollTop - (upward ? Math.max(0, height - rows * ROW) : 0)) / ROW)
  return upward ? rows - 1 - row : row
}

function draw() {
  const ratio = window.devicePixelRatio || 1
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(height * ratio)
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.fillStyle = theme.surface
  context.fillRect(0, 0, width, height)
  context.font = theme.font
  context.textBaseline = 'middle'
  const ends = [depthAt(0), depthAt(height - 1)]
  const alike = hovered > 0 ? tree.frame[hovered] : -1
  /** @type {[number, number, number][]} */
  const marked = []
  cull(tree, view, width, Math.min(...ends), Math.max(...ends), (node, left, right) => {
    const frame = tree.frame[node]
    const top = topOf(tree.depth[node])
    const isMatch = matching !== undefined && matching[frame] === 1
    const isFaint = matching !== undefined ? !isMatch : node < zoomed && tree.end[node] > zoomed
    context.globalAlpha = isFaint ? 0.36 : 1
    context.fillStyle = isMatch ? theme.match : fillOf(frame)
    const room = right - left
    context.fillRect(left, top, room > 3 ? room - 1 : room * 0.8, ROW - 1)
    if (room >= LABEL_FROM) {
      context.globalAlpha = 1
      context.fillStyle = isFaint ? theme.faintLabel : isMatch ? theme.matchLabel : theme.label
      const label = fitLabel(nameOf(node), Math.floor((room - 2 * PAD) / theme.letter))
      if (label) context.fillText(label, left + PAD, top + ROW / 2)
    }
    if (frame === alike || node === focused) marked.push([node, left, right])
  }, (depth, left, right) => {
    context.globalAlpha = matching ? 0.36 : 0.75
    context.fillStyle = theme.muted
    context.fillRect(left, topOf(depth), right - left, ROW - 1)
  })
  context.globalAlpha = 1
  for (const [node, left, right] of marked) {
    const strong = node === hovered || node === focused
    context.strokeStyle = strong ? theme.text : theme.mark
    context.lineWidth = strong ? 2 : 1
    const edge = strong ? 1 : 0.5
    context.strokeRect(left + edge, topOf(tree.depth[node]) + edge, Math.max(right - left - 1 - 2 * edge, 1), ROW - 1 - 2 * edge)
  }
}

/** @param {number} node */
function nameOf(node) {
  return frames[tree.frame[node]].name
}

/** Sets the page's height in rows to that of the zoomed part. */
function measure() {
  let deepest = 0
  for (let i = zoomed; i < tree.end[zoomed]; i++) if (tree.depth[i] > deepest) deepest = tree.depth[i]
  rows = deepest + 1
  byId('spacer').style.height = Math.max(0, rows * ROW - height) + 'px'
}

function resize() {
  if (scroll.clientHeight === 0) return
  height = scroll.clientHeight
  canvas.style.height = height + 'px'
  measure()
  width = scroll.clientWidth
  canvas.style.width = width + 'px'
  draw()
}

let motion = 0
/** @param {number} node */
function zoomTo(node) {
  const from = { ...view }
  const to = { x: tree.x[node], w: Math.max(tree.w[node], 1e-12) }
  zoomed = node
  if (hovered !== node) hovered = -1
  measure()
  showCrumbs()
  showReset(node > 0)
  showDetail(hovered >= 0 ? hovered : focused)
  scrollToRow(tree.depth[node], 0.4)
  const start = performance.now()
  const turn = ++motion
  const step = () => {
    if (turn !== motion) return
    const time = calm.matches ? 1 : Math.min(1, (performance.now() - start) / 120)
    const part = 1 - (1 - time) ** 3
    view = { x: from.x + (to.x - from.x) * part, w: from.w + (to.w - from.w) * part }
    draw()
    if (time < 1) requestAnimationFrame(step)
  }
  step()
}

/** Scrolls until a row is visible within a part of the height, with two of its callers above it. @param {number} depth @param {number} part */
function scrollToRow(depth, part) {
  const top = topOf(depth)
  const away = upward ? height - top - ROW : top
  if (away >= 0 && away <= height * part) return
  scroll.scrollTop += upward ? -(away - 2 * ROW) : top - 2 * ROW
}

/** Moves and scales freely. The zoomed node becomes the innermost caller that contains the view. @param {number} x @param {number} w */
function look(x, w) {
  motion++
  const wide = Math.min(1, Math.max(w, 1e-12))
  view = { x: Math.min(1 - wide, Math.max(0, x)), w: wide }
  const before = zoomed
  const slack = view.w * 1e-9
  while (zoomed > 0 && (tree.x[zoomed] > view.x + slack || tree.x[zoomed] + tree.w[zoomed] < view.x + view.w - slack)) {
    zoomed = tree.parent[zoomed]
  }
  if (zoomed !== before) {
    measure()
    showCrumbs()
  }
  showReset(view.w < 1)
  redraw()
}

/** @param {number} factor @param {number} at in pixels */
function scaleAt(factor, at) {
  const w = Math.min(1, view.w * factor)
  look(view.x + (at / width) * (view.w - w), w)
}

/** @param {number} node */
function focusOn(node) {
  focused = node
  hovered = -1
  const shown = (tree.w[node] / view.w) * width >= 3 && tree.x[node] < view.x + view.w && tree.x[node] + tree.w[node] > view.x
  if (!shown) {
    let above = node
    while (above > 0 && (tree.w[node] / tree.w[tree.parent[above]]) * width >= 3) above = tree.parent[above]
    zoomTo(above)
  }
  const top = topOf(tree.depth[node])
  if (top < 0) scroll.scrollTop += top - ROW
  else if (top + ROW > height) scroll.scrollTop += top + 2 * ROW - height
  showDetail(node)
  byId('live').textContent = announcement(node)
  redraw()
}

/** @param {PointerEvent | MouseEvent} event */
function nodeUnder(event) {
  const box = canvas.getBoundingClientRect()
  return nodeAt(tree, view.x + ((event.clientX - box.left) / width) * view.w, depthAt(event.clientY - box.top))
}

/** @type {{ x: number, y: number, from: number, top: number, moved: boolean } | undefined} */
let grip

canvas.addEventListener('pointerdown', event => {
  if (event.button !== 0) return
  grip = { x: event.clientX, y: event.clientY, from: view.x, top: scroll.scrollTop, moved: false }
})
canvas.addEventListener('pointermove', event => {
  if (grip && event.buttons & 1) {
    const across = event.clientX - grip.x
    const along = event.clientY - grip.y
    if (!grip.moved && Math.hypot(across, along) < 5) return
    if (!grip.moved) canvas.setPointerCapture(event.pointerId)
    grip.moved = true
    hideTip()
    if (event.pointerType === 'mouse') scroll.scrollTop = grip.top - along
    look(grip.from - (across / width) * view.w, view.w)
    return
  }
  const node = nodeUnder(event)
  if (node !== hovered) {
    hovered = node
    showDetail(node >= 0 ? node : focused)
    redraw()
  }
  canvas.style.cursor = node >= 0 ? 'pointer' : 'default'
  showTip(event, node)
})
canvas.addEventListener('pointerup', event => {
  const held = grip
  grip = undefined
  if (!held || held.moved) return
  const node = nodeUnder(event)
  if (node < 0) return
  focused = -1
  zoomTo(node)
  byId('live').textContent = announcement(node)
})
canvas.addEventListener('pointerleave', () => {
  hovered = -1
  hideTip()
  showDetail(focused)
  redraw()
})
canvas.addEventListener('wheel', event => {
  if (event.ctrlKey || event.metaKey) scaleAt(Math.exp(event.deltaY * 0.004), event.offsetX)
  else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    look(view.x + ((event.deltaX || event.deltaY) / width) * view.w, view.w)
  } else return
  event.preventDefault()
}, { passive: false })
scroll.addEventListener('scroll', () => {
  hideTip()
  redraw()
})
`
