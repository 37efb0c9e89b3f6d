// The input and the kept nodes of a call tree under construction.
import type { ValueColumns, Weights } from './exact-values.ts'

/** The nodes that stay, numbered so that parents come before their children. */
export interface KeptNodes {
  /** NONE for roots. */
  readonly parents: Int32Array
  readonly frames: Int32Array
  readonly presence: Uint8Array
  readonly hiddenChildren: Uint32Array
  readonly columns: readonly ValueColumns[]
  readonly hiddenNodes: number
}

/** Weights and the node at which each of them ends. Negative nodes are skipped. */
export interface NodeWeights extends Weights {
  readonly nodes: Int32Array
}

/** The weights of one side of a tree; a diff has two sides. */
export interface Side extends NodeWeights {
  /** Weights of nodes that an earlier limit hid. They count into the total of the node above them, but not into its self. */
  readonly hidden?: NodeWeights
}
