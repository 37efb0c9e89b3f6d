// Takes a written page apart for tests, with the functions of its own script.
import { decodeUtf8 } from '../../../wire/utf8.ts'
import type { PageData, PageProfile, PageUnit } from '../page-data.ts'
import { pageLogic } from '../page-logic.ts'

export interface PageFrame {
  readonly name: string
  readonly file: string
  readonly mapping: string
  readonly group: string
  readonly kind: string
  readonly line: string
}

export interface PageTree {
  readonly length: number
  readonly depth: Uint32Array
  readonly parent: Int32Array
  readonly end: Uint32Array
  readonly frame: Uint32Array
  readonly x: Float64Array
  readonly w: Float64Array
  readonly deepest: number
  selfOf(node: number): bigint
  totalOf(node: number): bigint
}

interface PageRow {
  readonly frame: number
  readonly self: bigint
  readonly total: bigint
}

/** The functions of page-logic.ts that tests call. */
export interface PageLogic {
  varints(text: string): { number(): number; signed(): number | bigint }
  readFrames(data: PageData): PageFrame[]
  readTree(profile: PageProfile): PageTree
  readTable(profile: PageProfile): PageRow[]
  cull(
    tree: PageTree,
    view: { readonly x: number; readonly w: number },
    width: number,
    top: number,
    bottom: number,
    box: (node: number, left: number, right: number) => void,
    run: (depth: number, left: number, right: number) => void,
  ): void
  nodeAt(tree: PageTree, at: number, depth: number): number
  siblingOf(tree: PageTree, node: number, step: number): number
  matcher(query: string): ((frame: PageFrame) => boolean) | string | undefined
  findNodes(tree: PageTree, matching: Uint8Array): { readonly nodes: number[]; readonly total: bigint }
  shortName(name: string): string
  fitLabel(name: string, room: number): string
  hashOf(text: string): number
  formatExact(value: bigint, unit: PageUnit): string
  formatValue(value: bigint, unit: PageUnit): string
  formatShare(part: bigint, whole: bigint): string
}

const NAMES: readonly (keyof PageLogic)[] = [
  'varints',
  'readFrames',
  'readTree',
  'readTable',
  'cull',
  'nodeAt',
  'siblingOf',
  'matcher',
  'findNodes',
  'shortName',
  'fitLabel',
  'hashOf',
  'formatExact',
  'formatValue',
  'formatShare',
]

// The script is a string, so running it is the only way to test it.
// oxlint-disable-next-line typescript/no-implied-eval
const run = new Function(`'use strict'\n${pageLogic}\nreturn { ${NAMES.join(', ')} }`) as () => PageLogic
export const logic = run()

export interface Page {
  readonly html: string
  readonly data: PageData
  /** The exact texts between the tags. */
  readonly script: string
  readonly style: string
  readonly policy: string
}

export function pageOf(bytes: Uint8Array): Page {
  const html = decodeUtf8(bytes)
  const between = (from: string, to: string): string => {
    const start = html.indexOf(from) + from.length
    return html.slice(start, html.indexOf(to, start))
  }
  return {
    html,
    data: JSON.parse(between('<script type="application/json" id="data">', '</script>')) as PageData,
    script: between('<script>', '</script>'),
    style: between('<style>', '</style>'),
    policy: between('http-equiv="Content-Security-Policy" content="', '"'),
  }
}

/** `  run 5 self 2`, like call trees in analyze/testing/show.ts. */
export function showPageTree(data: PageData, profile = 0): string[] {
  const frames = logic.readFrames(data)
  const tree = logic.readTree(data.profiles[profile])
  return Array.from({ length: tree.length }, (_, i) => {
    const self = tree.selfOf(i)
    const { name, file, line } = frames[tree.frame[i]]
    const place = file === '' ? '' : ` ${file}${line === '' ? '' : `:${line}`}`
    return `${'  '.repeat(tree.depth[i])}${name}${place} ${tree.totalOf(i)}${self === 0n ? '' : ` self ${self}`}`
  })
}
