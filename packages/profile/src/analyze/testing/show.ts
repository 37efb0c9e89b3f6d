// Trees and tables as lines of text, which tests compare.
import type { CallTree } from '../tree/call-tree.ts'
import type { DiffTree, TopDiff } from '../diff.ts'
import { hasVanished, isNew } from '../diff.ts'
import { differences, exactSelf, exactTotal } from '../tree/exact-values.ts'
import type { FrameTable } from '../tree/frame-table.ts'
import type { TopTable } from '../top.ts'

/** `  run 5 self 2`: indented by depth, with the total, and self unless it is zero. */
export function showTree(tree: CallTree): string[] {
  return lines(tree, i => {
    const self = exactSelf(tree, i)
    return `${indent(tree.depth[i])}${label(tree.frames, tree.frame[i])} ${exactTotal(tree, i)}${self === 0n ? '' : ` self ${self}`}`
  })
}

/** `run 2 5`: self and total. */
export function showTop(top: TopTable): string[] {
  return lines(top, i => `${label(top.frames, top.frame[i])} ${exactSelf(top, i)} ${exactTotal(top, i)}`)
}

/** `  run 3 -> 7 (+4)`: total before, after and change. */
export function showDiffTree(diff: DiffTree): string[] {
  const delta = differences(diff.before, diff)
  return lines(diff, i => {
    const change = `${diff.before.total[i]} -> ${diff.total[i]} (${signed(exactTotal(delta, i))})`
    return `${indent(diff.depth[i])}${label(diff.frames, diff.frame[i])} ${change}${flag(diff, i)}`
  })
}

/** `run 0 -> 6, 3 -> 7`: self, then total. */
export function showTopDiff(diff: TopDiff): string[] {
  return lines(diff, i => {
    const { before } = diff
    const self = `${before.self[i]} -> ${diff.self[i]}`
    return `${label(diff.frames, diff.frame[i])} ${self}, ${before.total[i]} -> ${diff.total[i]}${flag(diff, i)}`
  })
}

/** `run app.c:12`: the name, then all known details of the frame. */
function label(frames: FrameTable, i: number): string {
  const [name, line] = [frames.name[i], frames.line[i]]
  const file = frames.file[i] === name ? '' : frames.file[i]
  const place = `${file}${line === '' ? '' : `:${line}`}`
  return place === '' ? name : `${name} ${place}`
}

function flag(diff: Pick<TopDiff, 'presence'>, i: number): string {
  return isNew(diff, i) ? ' new' : hasVanished(diff, i) ? ' vanished' : ''
}

function signed(value: bigint): string {
  return value > 0n ? `+${value}` : `${value}`
}

function indent(depth: number): string {
  return '  '.repeat(depth)
}

function lines(rows: { readonly length: number }, show: (i: number) => string): string[] {
  return Array.from({ length: rows.length }, (_, i) => show(i))
}
