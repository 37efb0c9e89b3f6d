// Answers of the server, which come as columns, as the views have them.
import type {
  DiffColumns,
  FlameGraphColumns,
  Frames as AnsweredFrames,
  SandwichColumns,
  SumColumns,
  TopColumns as AnsweredTop,
} from '@hearth/client'
import type { Frames } from '../tree/frames.ts'
import { treeOfColumns } from '../tree/from-answer.ts'
import type { Tree, TreeSide } from '../tree/tree.ts'
import type { MissingNames, SandwichTrees, TopColumns, TreeAnswer, TreeOrder } from './profile-source.ts'

export function flameGraphTree(answer: FlameGraphColumns): TreeAnswer {
  const { nodes, order, unit, type, profiles, hidden, missing } = answer
  const tree = treeOfColumns({
    parent: nodes.parent,
    frame: nodes.frame,
    frames: framesOf(answer.frames),
    order,
    unit,
    after: sideOf(nodes, BigInt(answer.sum)),
    hiddenNodes: hidden.nodes,
  })
  return { tree, type, profiles, hiddenSelf: BigInt(hidden.self), missing: missingOf(missing) }
}

export function diffTree(answer: DiffColumns): TreeAnswer {
  const { nodes, before, after, order, scale } = answer
  // The sum comes as it was found, the values of the nodes scaled.
  const sumBefore = scale === 1 ? BigInt(before.sum) : BigInt(Math.round(Number(before.sum) * scale))
  const tree = treeOfColumns({
    parent: nodes.parent,
    frame: nodes.frame,
    frames: framesOf(answer.frames),
    order,
    unit: after.unit === '' ? before.unit : after.unit,
    after: sideOf(after, BigInt(after.sum)),
    before: sideOf(before, sumBefore),
    hiddenNodes: Math.max(before.hidden.nodes, after.hidden.nodes),
  })
  const type = after.type === '' ? before.type : after.type
  const { profiles, hidden, missing } = after
  return { tree, type, profiles, hiddenSelf: BigInt(hidden.self), missing: missingOf(missing) }
}

function missingOf({ stacks, self }: FlameGraphColumns['missing']): MissingNames {
  return { stacks, self: BigInt(self) }
}

export function topColumns({ rows, sum, unit, allFrames }: AnsweredTop): TopColumns {
  const { length } = rows.frame
  return {
    length,
    frames: framesOf(rows.frame),
    frame: Uint32Array.from({ length }, (_, i) => i),
    self: rows.self,
    total: rows.total,
    sum: BigInt(sum),
    unit,
    allFrames,
  }
}

export function sandwichTrees({ frame, callers, callees, sum, total, unit }: SandwichColumns): SandwichTrees {
  const tree = ({ nodes, frames, hidden }: SandwichColumns['callers'], order: TreeOrder): Tree =>
    treeOfColumns({
      parent: nodes.parent,
      frame: nodes.frame,
      frames: framesOf(frames),
      order,
      unit,
      after: sideOf(nodes, BigInt(total)),
      hiddenNodes: hidden.nodes,
    })
  return {
    name: frame.name,
    file: frame.file ?? '',
    callers: tree(callers, 'leaf-first'),
    callees: tree(callees, 'root-first'),
    sum: BigInt(sum),
  }
}

function sideOf({ self, total, selfExact, totalExact }: SumColumns, sum: bigint): TreeSide {
  return { self, total, selfExact, totalExact, sum }
}

export function framesOf(frames: AnsweredFrames): Frames {
  const { length } = frames
  const text = (of: (i: number) => string): string[] => Array.from({ length }, (_, i) => of(i))
  return {
    length,
    name: text(i => frames.name(i)),
    file: text(i => frames.file(i)),
    mapping: text(i => frames.mapping(i)),
    type: text(i => frames.type(i)),
    line: text(i => frames.line(i)?.toString() ?? ''),
    address: text(i => frames.address(i)?.toString() ?? ''),
    ...(frames.hasAttributes ? { attribute: text(i => frames.attribute(i)) } : {}),
  }
}
