// The colour scale of a diff, from decrease to increase.
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { diffScale } from '../../draw/flame-graph/box-colours.ts'
import { theme } from '../../state/theme.ts'
import { paletteOf } from '../flame-graph/graph-props.ts'
import type { CallTree } from '@hearth/profile'
import { changeLimit } from '@hearth/profile'

export interface DiffScaleProps {
  readonly tree: CallTree
  readonly colourBlind: boolean
}

export function DiffScale({ tree, colourBlind }: DiffScaleProps): JSX.Element {
  const limit = useMemo(() => changeLimit(tree), [tree])
  const points = `${(100 * limit).toLocaleString('en', { maximumFractionDigits: 1 })}`
  const colours = diffScale({ theme: theme.value, palette: paletteOf({ colourBlind }) })
  return (
    <span class="diff-scale" title="Change of the share of the total, in percentage points">
      <span>−{points} pt</span>
      <span class="diff-ramp" style={{ background: `linear-gradient(90deg, ${colours.join(', ')})` }} />
      <span>+{points} pt</span>
    </span>
  )
}
