// Converts responses of the server to the columns that the views use.
import type { DiffColumns, FlameGraphColumns, SandwichColumns, TopColumns as TopResponse } from '@hearth/client'
import type { CallTree, TreeSide, ValueColumns } from '@hearth/profile'
import { diffParts, scaledSum, treeOfColumns } from '@hearth/profile'
import type { MissingNames, SandwichTrees, TopColumns, TreeResult, TreeOrder } from './profile-source.ts'

export function flameGraphTree(response: FlameGraphColumns): TreeResult {
  const { nodes, frames, order, unit, type, profiles, hidden, missing } = response
  const after = sideOf(nodes, BigInt(response.sum))
  const tree = treeOfColumns({ ...nodes, frames, order, unit, after, hiddenNodes: hidden.nodes })
  return { tree, type, profiles, hiddenSelf: BigInt(hidden.self), missing: missingOf(missing) }
}

export function diffTree(response: DiffColumns): TreeResult {
  const { nodes, frames, before, after, order, scale } = response
  const tree = treeOfColumns({
    ...nodes,
    ...diffParts(before, after),
    frames,
    order,
    after: sideOf(after, BigInt(after.sum)),
    before: sideOf(before, scaledSum(BigInt(before.sum), scale)),
  })
  const type = after.type === '' ? before.type : after.type
  const { profiles, hidden, missing } = after
  return { tree, type, profiles, hiddenSelf: BigInt(hidden.self), missing: missingOf(missing) }
}

function missingOf({ stacks, self, unresolved }: FlameGraphColumns['missing']): MissingNames {
  return { stacks, self: BigInt(self), unresolved }
}

export function topColumns({ rows, sum, unit, allFrames }: TopResponse): TopColumns {
  const { frame: frames, self, total } = rows
  const { length } = frames
  return {
    length,
    frames,
    frame: Uint32Array.from({ length }, (_, i) => i),
    self,
    total,
    sum: BigInt(sum),
    unit,
    allFrames,
  }
}

export function sandwichTrees({ frame, callers, callees, sum, total, unit }: SandwichColumns): SandwichTrees {
  const tree = ({ nodes, frames, hidden }: SandwichColumns['callers'], order: TreeOrder): CallTree =>
    treeOfColumns({ ...nodes, frames, order, unit, after: sideOf(nodes, BigInt(total)), hiddenNodes: hidden.nodes })
  return {
    name: frame.name,
    file: frame.file ?? '',
    callers: tree(callers, 'leaf-first'),
    callees: tree(callees, 'root-first'),
    sum: BigInt(sum),
  }
}

function sideOf({ self, total, selfExact, totalExact }: ValueColumns, sum: bigint): TreeSide {
  return { self, total, selfExact, totalExact, sum }
}
