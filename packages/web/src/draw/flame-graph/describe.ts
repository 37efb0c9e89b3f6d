// Describes a box in words, for screen readers when keys move the selection and for titles in exported images.
import type { CallTree } from '@hearth/profile'
import { ROOT, exactTotal, formatShare, formatValue, selfOf, titleAt, totalOf } from '@hearth/profile'
import { placeAmongSiblings } from './walk.ts'

/** `all, 6.00 s` */
export function rootText(tree: CallTree): string {
  if (tree.length === 0) return 'all: no samples'
  const now = formatValue(tree.sum, tree.unit)
  if (tree.times !== undefined) return `all: ${formatValue(tree.times.whole, 'ns')}, samples in ${now} of it`
  return hasValuesBefore(tree) ? `all: ${formatValue(tree.before!.sum, tree.unit)} → ${now}` : `all: ${now}`
}

/**
 * Whether the values before are unchanged. Where shares are compared, they are scaled to the total after and are not
 * meaningful.
 */
function hasValuesBefore({ before, sum }: CallTree): boolean {
  return before !== undefined && before.sum !== sum
}

/** `33.0% of total`, with the value if it is not scaled. */
export function beforeText(tree: CallTree, node: number): string {
  const { before, unit } = tree
  if (before === undefined) return ''
  const total = exactTotal(before, node)
  const share = `${formatShare(total, before.sum)} of total`
  return hasValuesBefore(tree) ? `${formatValue(total, unit)}, ${share}` : share
}

/** `db.query, src/db.ts, 2.00 s, 41% of total, self 1.20 s` */
export function boxText(tree: CallTree, node: number, whole = 'total'): string {
  if (node === ROOT) return rootText(tree)
  const frame = tree.frame[node]
  const where = tree.frames.file[frame] || tree.frames.mapping[frame]
  const line = tree.frames.line[frame]
  const total = totalOf(tree, node)
  const parts = [titleAt(tree, node)]
  if (where !== '') parts.push(line === '' ? where : `${where}:${line}`)
  if (tree.times !== undefined) parts.push(`at ${formatValue(tree.times.start[node], 'ns')}`)
  parts.push(formatValue(total, tree.unit), `${formatShare(total, tree.sum)} of ${whole}`)
  if (tree.before === undefined) parts.push(`self ${formatValue(selfOf(tree, node), tree.unit)}`)
  else parts.push(`before ${beforeText(tree, node)}`)
  return parts.join(', ')
}

/** The description with the position in the tree. */
export function announcement(tree: CallTree, node: number, whole?: string): string {
  if (node === ROOT) return boxText(tree, node)
  const { place, of } = placeAmongSiblings(tree, node)
  const calls = tree.end[node] === node + 1 ? 'calls nothing' : ''
  return [boxText(tree, node, whole), `level ${tree.depth[node] + 1}`, `${place} of ${of}`, calls]
    .filter(part => part !== '')
    .join(', ')
}
