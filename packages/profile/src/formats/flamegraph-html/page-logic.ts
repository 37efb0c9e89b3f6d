// The part of the page's script without a document: reading the data, layout, culling, search and texts. It is
// JavaScript in a string because this package is checked without the DOM and built by tsc alone, without a bundler that
// could turn a module into a string. page-script.node.test.ts has tsc check it with DOM types, and page-logic.test.ts
// runs it. It must not contain backticks or `${`.
export const pageLogic = String.raw`
/** @typedef {{ kind: string, numerator: string, denominator: string, one: string, many: string }} Unit */
/**
 * @typedef {{ type: string, unit: Unit, total: string, samples: number, merged: number, time: string, duration: string,
 *   exact: boolean, negative: boolean, tree: string, nodes: number, hiddenNodes: number, hiddenShare: string,
 *   table: string, rows: number, hiddenRows: number }} Profile
 */
/** @typedef {{ name: string, attributes: [string, string][] }} Resource */
/** @typedef {{ strings: string[], frames: string, frameCount: number, resources: Resource[], profiles: Profile[] }} Data */
/** @typedef {{ name: string, file: string, mapping: string, group: string, kind: string, line: string }} Frame */
/** @typedef {ReturnType<typeof readTree>} Tree */
/** @typedef {ReturnType<typeof readTable>} Table */

/** Frame 0 is the root "all", frame 1 stands for hidden calls. */
const HIDDEN = 1

/** The profile of a file without profiles: a tree that consists of its root. @type {Profile} */
const NOTHING = {
  type: 'no profiles', unit: { kind: 'count', numerator: '1', denominator: '1', one: '', many: '' }, total: '0', samples: 0,
  merged: 0, time: '', duration: '0', exact: false, negative: false, tree: 'AAAA', nodes: 1, hiddenNodes: 0,
  hiddenShare: '0%', table: '', rows: 0, hiddenRows: 0,
}

/** @param {string} text */
function varints(text) {
  const binary = atob(text)
  let at = 0
  /** A number up to 2^53, a bigint beyond. @returns {number | bigint} */
  function any() {
    let value = 0
    let scale = 1
    for (let groups = 0; groups < 7; groups++) {
      const byte = binary.charCodeAt(at++)
      if (byte < 128) return value + byte * scale
      value += (byte - 128) * scale
      scale *= 128
    }
    let big = BigInt(value)
    for (let shift = 49n; ; shift += 7n) {
      const byte = binary.charCodeAt(at++)
      big += BigInt(byte & 127) << shift
      if (byte < 128) return big
    }
  }
  return {
    number: () => Number(any()),
    signed: () => {
      const value = any()
      if (typeof value === 'bigint') return value & 1n ? -((value + 1n) >> 1n) : value >> 1n
      return value % 2 === 1 ? -(value + 1) / 2 : value / 2
    },
  }
}

/** @param {Data} data @returns {Frame[]} */
function readFrames(data) {
  const read = varints(data.frames)
  const string = () => data.strings[read.number()]
  return Array.from({ length: data.frameCount }, () => {
    const frame = { name: string(), file: string(), mapping: string(), group: string(), kind: string() }
    const line = read.signed()
    // A name of spaces would be invisible.
    if (frame.name.trim() === '') frame.name = JSON.stringify(frame.name)
    return { ...frame, line: line ? String(line) : '' }
  })
}

/**
 * Columns in depth-first order: the subtree of node i is [i, end[i]). x and w are fractions of the whole, from 0 to 1.
 * @param {Profile} profile
 */
function readTree(profile) {
  const length = profile.nodes
  const read = varints(profile.tree)
  const depth = new Uint32Array(length)
  const parent = new Int32Array(length)
  const end = new Uint32Array(length)
  const frame = new Uint32Array(length)
  const self = new Float64Array(length)
  const exact = profile.exact ? new Array(length).fill(0n) : undefined
  /** @type {number[]} */
  const path = []
  let deepest = 0
  for (let i = 0; i < length; i++) {
    const up = read.number()
    for (let k = 0; i > 0 && k < up; k++) end[/** @type {number} */ (path.pop())] = i
    parent[i] = path.length === 0 ? -1 : path[path.length - 1]
    depth[i] = path.length
    deepest = Math.max(deepest, path.length)
    path.push(i)
    frame[i] = read.number()
    const value = read.signed()
    self[i] = Number(value)
    if (exact) exact[i] = BigInt(value)
  }
  for (const i of path) end[i] = length
  const total = self.slice()
  const weight = self.map(Math.abs)
  const exactTotal = exact && exact.slice()
  for (let i = length - 1; i > 0; i--) {
    total[parent[i]] += total[i]
    weight[parent[i]] += weight[i]
    if (exactTotal) exactTotal[parent[i]] += exactTotal[i]
  }
  const whole = weight[0] || 1
  const x = new Float64Array(length)
  const next = new Float64Array(length)
  const w = weight.map(value => value / whole)
  w[0] = 1
  for (let i = 1; i < length; i++) {
    x[i] = x[parent[i]] + next[parent[i]]
    next[parent[i]] += w[i]
  }
  return {
    length, depth, parent, end, frame, total, x, w, deepest,
    /** @param {number} i @returns {bigint} */
    selfOf: i => (exact ? exact[i] : BigInt(self[i])),
    /** @param {number} i @returns {bigint} */
    totalOf: i => (exactTotal ? exactTotal[i] : BigInt(total[i])),
  }
}

/** @param {Profile} profile */
function readTable(profile) {
  const read = varints(profile.table)
  return Array.from({ length: profile.rows }, () => ({
    frame: read.number(),
    self: BigInt(read.signed()),
    total: BigInt(read.signed()),
  }))
}

/**
 * Visits the visible boxes. It does not descend into a node of less than a pixel. A run of such neighbours is reported as one.
 * @param {Tree} tree
 * @param {{ x: number, w: number }} view the part of the whole on the screen
 * @param {number} width in pixels
 * @param {number} top first depth on the screen
 * @param {number} bottom last one
 * @param {(node: number, left: number, right: number) => void} box
 * @param {(depth: number, left: number, right: number) => void} run
 */
function cull(tree, view, width, top, bottom, box, run) {
  const { x, w, depth, end, length } = tree
  const scale = width / view.w
  let runDepth = -1
  let runLeft = 0
  let runRight = 0
  const flush = () => {
    if (runDepth >= top && runRight - runLeft >= 1) run(runDepth, runLeft, runRight)
    runDepth = -1
  }
  for (let i = 0; i < length; ) {
    const left = (x[i] - view.x) * scale
    const right = left + w[i] * scale
    if (depth[i] > bottom || right <= 0 || left >= width) {
      i = end[i]
    } else if (right - left < 1) {
      if (runDepth !== depth[i] || left - runRight > 0.01) {
        flush()
        runDepth = depth[i]
        runLeft = left
      }
      runRight = right
      i = end[i]
    } else {
      flush()
      if (depth[i] >= top) box(i, Math.max(left, 0), Math.min(right, width))
      i++
    }
  }
  flush()
}

/** The node at a horizontal position from 0 to 1 and a depth, or -1. @param {Tree} tree @param {number} at @param {number} depth */
function nodeAt(tree, at, depth) {
  for (let i = 0; i < tree.length; ) {
    if (at < tree.x[i] || at >= tree.x[i] + tree.w[i]) i = tree.end[i]
    else if (tree.depth[i] === depth) return i
    else i++
  }
  return -1
}

/** @param {Tree} tree @param {number} node @param {number} step -1 or 1 @returns {number} the sibling, or node itself */
function siblingOf(tree, node, step) {
  const above = tree.parent[node]
  if (above < 0) return node
  if (step > 0) return tree.end[node] < tree.end[above] ? tree.end[node] : node
  let before = node
  for (let i = above + 1; i < node; i = tree.end[i]) before = i
  return before
}

/**
 * Parses a search: text in a name or file, ignoring case, /expression/flags, or package:name.
 * @param {string} query
 * @returns {((frame: Frame) => boolean) | string | undefined} a test, an error message, or undefined for an empty search
 */
function matcher(query) {
  const text = query.trim()
  if (text === '') return undefined
  if (text.startsWith('package:')) return frame => frame.group === text.slice(8)
  const parts = /^\/(.+)\/([dimsuv]*)$/.exec(text)
  if (parts) {
    try {
      const expression = new RegExp(parts[1], parts[2])
      return frame => expression.test(frame.name) || expression.test(frame.file)
    } catch (error) {
      return 'not a valid expression'
    }
  }
  const wanted = text.toLowerCase()
  return frame => frame.name.toLowerCase().includes(wanted) || frame.file.toLowerCase().includes(wanted)
}

/**
 * The nodes of matching frames and their joint total. A match below a match is not counted twice.
 * @param {Tree} tree @param {Uint8Array} matching by frame
 */
function findNodes(tree, matching) {
  /** @type {number[]} */
  const nodes = []
  let total = 0n
  let covered = 0
  for (let i = 0; i < tree.length; i++) {
    if (!matching[tree.frame[i]]) continue
    nodes.push(i)
    if (i < covered) continue
    total += tree.totalOf(i)
    covered = tree.end[i]
  }
  return { nodes, total }
}

/** The number of columns of a text in a monospaced font. @param {string} text */
function columns(text) {
  let count = 0
  for (const letter of text) count += /** @type {number} */ (letter.codePointAt(0)) < 0x1100 ? 1 : 2
  return count
}

/** The name without the path of its package, for boxes that are too narrow for the whole name. @param {string} name */
function shortName(name) {
  const open = name.search(/[(<[]/)
  const head = open > 0 ? name.slice(0, open) : name
  const slash = head.lastIndexOf('/') + 1
  const parts = head.slice(slash).split(/(::|\.(?=[A-Za-z_$]))/)
  const kept = parts.length > 3 ? parts.slice(-3).join('') : head.slice(slash)
  return kept === '' ? name : kept + name.slice(head.length)
}

/** The most informative text that fits into the room, in columns. Empty if that would be too short to help. @param {string} name @param {number} room */
function fitLabel(name, room) {
  if (room < 2) return ''
  if (name.length <= room * 2 && columns(name) <= room) return name
  const short = shortName(name)
  let label = ''
  let used = 0
  for (const letter of short) {
    used += columns(letter)
    if (used > room) return columns(label) < room ? label + '\u2026' : cutLast(label) + '\u2026'
    label += letter
  }
  return label
}

/** @param {string} text */
function cutLast(text) {
  return [...text].slice(0, -1).join('')
}

/** A hash that is the same on every machine and in every profile. @param {string} text */
function hashOf(text) {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** @param {bigint} value */
function grouped(value) {
  return value.toString().replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** All digits: 1,530,000,000 ns. @param {bigint} value @param {Unit} unit */
function formatExact(value, unit) {
  return grouped(value) + (value === 1n || value === -1n ? unit.one : unit.many)
}

/** @param {string[]} symbols @param {bigint[]} sizes @returns {[string, bigint, bigint][]} */
function steps(symbols, sizes) {
  return symbols.map((symbol, i) => [symbol, sizes[i], 1n])
}

/** By kind of unit: the symbol and its size in base units, as a fraction. */
const COUNTS = steps(['', 'k', 'M', 'G', 'T', 'P', 'E'], [0n, 1n, 2n, 3n, 4n, 5n, 6n].map(i => 1000n ** i))
/** @type {Record<string, [string, bigint, bigint][]>} */
const STEPS = {
  time: steps(['ns', '\u00b5s', 'ms', 's', 'min', 'h', 'd'],
    [1n, 1000n, 10n ** 6n, 10n ** 9n, 60n * 10n ** 9n, 3600n * 10n ** 9n, 86400n * 10n ** 9n]),
  bytes: steps(['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'], [0n, 1n, 2n, 3n, 4n, 5n, 6n].map(i => 1024n ** i)),
  frequency: steps(['Hz', 'kHz', 'MHz', 'GHz'], [0n, 1n, 2n, 3n].map(i => 1000n ** i)),
  ratio: [['%', 1n, 100n]],
}

/** Three digits and the prefix that fits: 1.53 s. Equals model/text/format-value.ts. @param {bigint} value @param {Unit} unit */
function formatValue(value, unit) {
  const isCount = unit.kind === 'count' || unit.kind === 'unknown'
  if (unit.kind === 'time' && value === 0n) return '0 s'
  const list = isCount ? COUNTS : STEPS[unit.kind]
  const size = (value < 0n ? -value : value) * (isCount ? 1n : BigInt(unit.numerator))
  const per = isCount ? 1n : BigInt(unit.denominator)
  let at = list.length - 1
  while (at > 0 && size * list[at][2] < list[at][1] * per) at--
  let [symbol, over, under] = list[at]
  const top = size * under
  const bottom = per * over
  let places = top >= 100n * bottom ? 0 : top >= 10n * bottom ? 1 : top >= bottom ? 2 : 3
  let digits = nearest(top * 10n ** BigInt(places), bottom)
  if (digits === 1000n && places > 0) [digits, places] = [100n, places - 1]
  let text = decimal(digits, places)
  if (at + 1 < list.length && digits * over >= list[at + 1][1] * 10n ** BigInt(places)) {
    text = '1.00'
    symbol = list[at + 1][0]
  } else if (digits === 0n && size > 0n) {
    text = (value < 0n ? '>-' : '<') + '0.001'
    return text + (isCount ? unit.many : (symbol === '%' ? '' : ' ') + symbol)
  } else if (at === 0 && text.includes('.')) text = text.replace(/\.?0+$/, '')
  const scaled = (value < 0n ? '-' : '') + text + (symbol === '' || symbol === '%' ? '' : ' ') + symbol
  return isCount ? scaled + (scaled === '1' || scaled === '-1' ? unit.one : unit.many) : scaled
}

/** One decimal. Only zero is 0% and only the whole is 100%. @param {bigint} part @param {bigint} whole */
function formatShare(part, whole) {
  if (whole === 0n) return 'n/a'
  const negative = part < 0n !== whole < 0n
  const tenths = 1000n * (part < 0n ? -part : part)
  const one = whole < 0n ? -whole : whole
  if (tenths === 0n) return '0%'
  if (tenths < one) return negative ? '>-0.1%' : '<0.1%'
  const sign = negative ? '-' : ''
  if (tenths === 1000n * one) return sign + '100%'
  const rounded = nearest(tenths, one)
  if (rounded === 1000n && tenths < 1000n * one) return negative ? '<-99.9%' : '>99.9%'
  return sign + decimal(rounded, 1) + '%'
}

/** @param {bigint} top @param {bigint} bottom */
function nearest(top, bottom) {
  return (2n * top + bottom) / (2n * bottom)
}

/** @param {bigint} digits @param {number} places */
function decimal(digits, places) {
  if (places === 0) return grouped(digits)
  const unit = 10n ** BigInt(places)
  return grouped(digits / unit) + '.' + (digits % unit).toString().padStart(places, '0')
}
`
