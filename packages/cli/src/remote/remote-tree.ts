// The call tree of a flame graph that a server sent.
import type { FlameGraphResponse } from '@hearth/client'
import type { CallTree } from '@hearth/profile'
import { demangle, treeOfFlameGraphJson } from '@hearth/profile'

export interface RemoteNames {
  /** Makes the names of C++ and Rust functions readable. */
  readonly demangle?: boolean
}

export function readableName(name: string, options: RemoteNames): string {
  return options.demangle === true ? (demangle(name) ?? name) : name
}

export function remoteTree(answer: FlameGraphResponse, names: RemoteNames = {}): CallTree {
  const tree = treeOfFlameGraphJson(answer)
  const { frames } = tree
  return { ...tree, frames: { ...frames, name: frames.name.map(name => readableName(name, names)) } }
}
