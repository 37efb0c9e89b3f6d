// A call tree as far as it is drawn: one of a file, or one that a server has sent.
import type { CallTree } from '@hearth/profile'

export interface ShownTree extends Omit<CallTree, 'frames' | 'parent' | 'order' | 'overflow'> {
  readonly frames: { name(frame: number): string }
}
