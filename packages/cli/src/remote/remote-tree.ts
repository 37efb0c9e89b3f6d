// A flame graph as a server sends it, as it is drawn here.
import type { FlameGraphResponse } from '@hearth/client'
import { demangle } from '@hearth/profile'
import type { ShownTree } from '../render/shown-tree.ts'

export interface RemoteNames {
  /** Names as the linker has them are made readable. */
  readonly demangle?: boolean
}

export function readableName(name: string, options: RemoteNames): string {
  return options.demangle === true ? (demangle(name) ?? name) : name
}

export function remoteTree({ nodes, frames, sum }: FlameGraphResponse, names: RemoteNames = {}): ShownTree {
  const { parent, frame, self, total } = nodes
  const { length } = parent
  const depth = new Uint32Array(length)
  const end = new Uint32Array(length)
  // Nodes are in depth-first order, so a parent comes before its children and ends with the last of them.
  for (let i = 0; i < length; i++) depth[i] = parent[i] < 0 ? 0 : depth[parent[i]] + 1
  for (let i = length - 1; i >= 0; i--) {
    end[i] = Math.max(end[i], i + 1)
    if (parent[i] >= 0) end[parent[i]] = Math.max(end[parent[i]], end[i])
  }
  return {
    length,
    depth,
    end,
    frame: Uint32Array.from(frame),
    frames: { name: row => readableName(frames[row].name, names) },
    self: Float64Array.from(self, Number),
    total: Float64Array.from(total, Number),
    selfExact: exactOf(self),
    totalExact: exactOf(total),
    sum: BigInt(sum),
  }
}

/** Modulo 2^64, as analyze has them. */
function exactOf(values: readonly string[]): BigInt64Array {
  return BigInt64Array.from(values, value => BigInt.asIntN(64, BigInt(value)))
}
