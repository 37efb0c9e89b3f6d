// Search over frames, not nodes: a tree of a million nodes has a few thousand names, and while painting one byte per box
// says whether it matches.
import type { CallTree } from '../tree/call-tree.ts'
import { ROOT, subtreeEnd } from '../tree/call-tree.ts'
import { exactTotal } from '../tree/exact-values.ts'
import type { FrameTable } from '../tree/frame-table.ts'
import { isFunction } from '../tree/frame-table.ts'

export interface SearchQuery {
  readonly text: string
  readonly regularExpression?: boolean
  /** Unless given: only where the text has a capital letter. */
  readonly matchCase?: boolean
}

export interface SearchResult {
  /** A byte per frame, 1 where it matches. */
  readonly matches: Uint8Array
  /** How many frames match. */
  readonly count: number
  /** Why the expression cannot be used, or that it took too long; then the frames looked at so far count. */
  readonly problem: string | undefined
}

/** A pattern of more is not typed by a person. */
const LONGEST_PATTERN = 1000
/** What an expression can see of a name: some backtrack with the square of the length or worse. */
const LONGEST_NAME = 2000
/** Expressions that take longer than this altogether are ended, between two names. */
const PATIENCE = 1000

/** Nothing matches an empty text. Names of functions are looked at, and files where the text has a slash. */
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
  const deadline = now() + PATIENCE
  let count = 0
  for (let i = 0; i < frames.length; i++) {
    if (isFunction(frames, i) && (test(frames.name[i]) || (inFiles && test(frames.file[i])))) {
      matches[i] = 1
      count++
    }
    if ((i & 63) === 63 && now() > deadline)
      return { matches, count, problem: 'the search took too long and was ended' }
  }
  return { matches, count, problem: undefined }
}

function plainTest({ text, matchCase = hasCapital(text) }: SearchQuery): (name: string) => boolean {
  if (matchCase) return name => name.includes(text)
  const lower = text.toLowerCase()
  return name => name.toLowerCase().includes(lower)
}

function expressionTest({ text, matchCase = hasCapital(text) }: SearchQuery): ((name: string) => boolean) | string {
  if (text.length > LONGEST_PATTERN) return `an expression has at most ${LONGEST_PATTERN} characters`
  try {
    const expression = new RegExp(text, matchCase ? 'u' : 'iu')
    return name => expression.test(name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) : name)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Escapes like \S and \W aside. */
function hasCapital(text: string): boolean {
  return /\p{Lu}/u.test(text.replaceAll(/\\[a-zA-Z]/g, ''))
}

export interface MatchedPart {
  /** How many nodes match. */
  readonly nodes: number
  /** Of the stacks that hold a match, each counted once. */
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
 * The matching node after (or before) one, in depth-first order and around the end; undefined where none matches. Within a
 * subtree where one is given.
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
