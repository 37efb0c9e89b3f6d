// The colours of frame types, for graphs that are coloured by frame type, with the share of each in the self values.
import type { CallTree } from '@hearth/profile'
import { formatShare, isFunction } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { View } from '../../address/view.ts'
import { typeColour } from '../../draw/flame-graph/box-colours.ts'
import { theme } from '../../state/theme.ts'
import { paletteOf } from '../flame-graph/graph-props.ts'

export interface TypeLegendProps {
  readonly tree: CallTree | undefined
  readonly view: View
}

export function TypeLegend({ tree, view }: TypeLegendProps): JSX.Element {
  const types = useMemo(() => (tree === undefined ? [] : selfByType(tree)), [tree])
  if (tree === undefined || types.length === 0) return <></>
  const options = { theme: theme.value, palette: paletteOf(view) }
  return (
    <ul class="thread-legend" aria-label="Frame types">
      {types.map(([type, self]) => (
        <li key={type}>
          <span class="thread-entry">
            <span class="thread-swatch" style={{ background: typeColour(type, options) }} />
            {type === '' ? 'unknown' : type}{' '}
            <span class="muted">{formatShare(BigInt(Math.round(self)), tree.sum)} self</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The largest first. */
function selfByType({ frame, frames, self, length }: CallTree): [type: string, self: number][] {
  const sums = new Map<string, number>()
  for (let i = 0; i < length; i++) {
    if (!isFunction(frames, frame[i])) continue
    const type = frames.type[frame[i]]
    sums.set(type, (sums.get(type) ?? 0) + self[i])
  }
  return [...sums].sort((a, b) => b[1] - a[1])
}
