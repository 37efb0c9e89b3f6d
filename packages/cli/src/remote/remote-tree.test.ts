import { callTree, exactSelf, exactTotal } from '@hearth/profile'
import { expect, test } from 'vitest'
import { remoteTree } from './remote-tree.ts'
import { beforeProfiles } from '../testing/example-profiles.ts'

test('remoteTree returns the same tree as in memory', () => {
  const tree = callTree(beforeProfiles(), [0])
  const rows = Array.from({ length: tree.length }, (_, i) => i)
  const shown = remoteTree({
    type: 'cpu',
    unit: 'ns',
    temporality: 'delta',
    profiles: 1,
    clamped: false,
    from: '0',
    to: '0',
    notes: [],
    order: 'root-first',
    sum: tree.sum.toString(),
    overflow: false,
    hidden: { nodes: 0, self: '0' },
    missing: { stacks: 0, self: '0', unresolved: [] },
    frames: rows.map(i => ({ name: tree.frames.name[tree.frame[i]] })),
    nodes: {
      parent: [...tree.parent],
      frame: rows,
      hiddenChildren: rows.map(() => 0),
      self: rows.map(i => exactSelf(tree, i).toString()),
      total: rows.map(i => exactTotal(tree, i).toString()),
    },
  })
  expect([...shown.depth]).toEqual([...tree.depth])
  expect([...shown.end]).toEqual([...tree.end])
  expect([...shown.total]).toEqual([...tree.total])
  expect(shown.sum).toBe(tree.sum)
})

test('remoteTree keeps values beyond 53 bits exact', () => {
  const [self, total] = ['-9223372036854775807', '9007199254740993']
  const shown = remoteTree({
    type: '',
    unit: '',
    temporality: 'unspecified',
    profiles: 0,
    clamped: false,
    from: '0',
    to: '0',
    notes: [],
    order: 'root-first',
    sum: total,
    overflow: false,
    hidden: { nodes: 0, self: '0' },
    missing: { stacks: 0, self: '0', unresolved: [] },
    frames: [{ name: 'main' }],
    nodes: { parent: [-1], frame: [0], hiddenChildren: [0], self: [self], total: [total] },
  })
  expect([exactSelf(shown, 0), exactTotal(shown, 0)]).toEqual([BigInt(self), BigInt(total)])
})
