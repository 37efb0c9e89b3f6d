// The call tree of a flame graph that a server sent.
import type { FlameGraphResponse } from '@hearth/client'
import type { CallTree } from '@hearth/profile'
import { demangle, treeOfFlameGraphJson } from '@hearth/profile'

export interface RemoteNames {
  /** Demangles C++ and Rust names. */
  readonly demangle?: boolean
}

export function readableName(name: string, options: RemoteNames): string {
  return options.demangle === true ? (demangle(name) ?? name) : name
}

export function remoteTree(response: FlameGraphResponse, names: RemoteNames = {}): CallTree {
  const tree = treeOfFlameGraphJson(response)
  const { frames } = tree
  return { ...tree, frames: { ...frames, name: frames.name.map(name => readableName(name, names)) } }
}
