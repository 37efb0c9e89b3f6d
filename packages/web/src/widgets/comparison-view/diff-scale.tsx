// The colour scale of a diff, from decrease to increase.
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { diffLimit, diffScale } from '../../draw/flame-graph/box-colours.ts'
import { theme } from '../../state/theme.ts'
import { paletteOf } from '../flame-graph/graph-props.ts'
import type { CallTree, SideObservations } from '@hearth/profile'

export interface DiffScaleProps {
  readonly tree: CallTree
  readonly colourBlind: boolean
  readonly observations: SideObservations | undefined
}

export function DiffScale({ tree, colourBlind, observations }: DiffScaleProps): JSX.Element {
  const limit = useMemo(() => diffLimit(tree, observations), [tree, observations])
  const points = `${(100 * limit).toLocaleString('en', { maximumFractionDigits: 1 })}`
  const colours = diffScale({ theme: theme.value, palette: paletteOf({ colourBlind }) })
  return (
    <span
      class="diff-scale"
      title={`Change of the share of the total, in percentage points.${observations === undefined ? '' : ' Changes that may be chance are pale.'}`}
    >
      <span>−{points} pt</span>
      <span class="diff-ramp" style={{ background: `linear-gradient(90deg, ${colours.join(', ')})` }} />
      <span>+{points} pt</span>
    </span>
  )
}
