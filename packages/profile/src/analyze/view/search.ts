// Searches frames instead of nodes, because a tree of a million nodes has only a few thousand names. While painting, one byte
// per frame shows whether it matches.
import type { CallTree } from '../tree/call-tree.ts'
import { ROOT, subtreeEnd } from '../tree/call-tree.ts'
import { exactTotal } from '../tree/exact-values.ts'
import type { FrameTable } from '../tree/frame-table.ts'
import { isFunction } from '../tree/frame-table.ts'

export interface SearchQuery {
  readonly text: string
  readonly regularExpression?: boolean
  /** Default: true if the text has a capital letter. */
  readonly matchCase?: boolean
}

export interface SearchResult {
  /** One byte per frame, 1 if it matches. */
  readonly matches: Uint8Array
  /** The number of matching frames. */
  readonly count: number
  /** The reason why the expression is invalid, or that it took too long. In that case only the frames searched so far count. */
  readonly problem: string | undefined
}

/** The maximum length of a pattern. People do not type longer ones. */
const MAX_PATTERN_LENGTH = 1000
/** The part of a name that expressions see. Some take time with the square of the length or worse. */
const MAX_NAME_LENGTH = 2000
/** The time limit of a search, checked between two names. */
const MAX_SEARCH_MS = 1000

/** Searches the names of functions, and files if the text has a slash. An empty text matches nothing. */
export function searchFrames(
  frames: FrameTable,
  query: SearchQuery,
  now: () => number = () => Date.now(),
): SearchResult {
  const matches = new Uint8Array(frames.length)
  if (query.text === '') return { matches, count: 0, problem: undefined }
  const test = query.regularExpression === true ? expressionTest(query) : plainTest(query)
  if (typeof test === 'string') return { matches, count: 0, problem: test }
  const inFiles = query.text.includes('/')
  const deadline = now() + MAX_SEARCH_MS
  let count = 0
  for (let i = 0; i < frames.length; i++) {
    if (isFunction(frames, i) && (test(frames.name[i]) || (inFiles && test(frames.file[i])))) {
      matches[i] = 1
      count++
    }
    if ((i & 63) === 63 && now() > deadline)
      return { matches, count, problem: 'the search took too long and was stopped' }
  }
  return { matches, count, problem: undefined }
}

function plainTest({ text, matchCase = hasCapital(text) }: SearchQuery): (name: string) => boolean {
  if (matchCase) return name => name.includes(text)
  const lower = text.toLowerCase()
  return name => name.toLowerCase().includes(lower)
}

function expressionTest({ text, matchCase = hasCapital(text) }: SearchQuery): ((name: string) => boolean) | string {
  if (text.length > MAX_PATTERN_LENGTH) return `an expression has at most ${MAX_PATTERN_LENGTH} characters`
  try {
    const expression = new RegExp(text, matchCase ? 'u' : 'iu')
    return name => expression.test(name.length > MAX_NAME_LENGTH ? name.slice(0, MAX_NAME_LENGTH) : name)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Ignores escapes such as \S and \W. */
function hasCapital(text: string): boolean {
  return /\p{Lu}/u.test(text.replaceAll(/\\[a-zA-Z]/g, ''))
}

export interface MatchedPart {
  /** The number of matching nodes. */
  readonly nodes: number
  /** The sum of the stacks that contain a match, each counted once. */
  readonly total: bigint
}

export function matchedPart(tree: CallTree, matches: Uint8Array): MatchedPart {
  let nodes = 0
  let total = 0n
  let covered = 0
  for (let i = 0; i < tree.length; i++) {
    if (matches[tree.frame[i]] === 0) continue
    nodes++
    if (i < covered) continue
    total += exactTotal(tree, i)
    covered = tree.end[i]
  }
  return { nodes, total }
}

/**
 * The next (or previous) matching node in depth-first order, wrapping around; undefined if none matches. Restricted to a
 * subtree if one is given.
 */
export function nextMatch(
  tree: CallTree,
  matches: Uint8Array,
  from: number | undefined,
  direction: 1 | -1,
  within: number = ROOT,
): number | undefined {
  const first = within === ROOT ? 0 : within
  const count = subtreeEnd(tree, within) - first
  const start =
    from === undefined || from < first || from >= first + count ? (direction === 1 ? -1 : count) : from - first
  for (let step = 1; step <= count; step++) {
    const node = first + ((((start + direction * step) % count) + count) % count)
    if (matches[tree.frame[node]] === 1) return node
  }
  return undefined
}
