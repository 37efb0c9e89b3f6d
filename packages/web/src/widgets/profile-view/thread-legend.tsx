// The colours of threads, largest thread first, for graphs that are coloured by thread.
import type { CallTree } from '@hearth/profile'
import { formatShare, pathOf, threadsIn } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { View } from '../../address/view.ts'
import { threadColour } from '../../draw/flame-graph/box-colours.ts'
import { theme } from '../../state/theme.ts'
import { paletteOf } from '../flame-graph/graph-props.ts'

export interface ThreadLegendProps {
  readonly tree: CallTree | undefined
  readonly view: View
  readonly onView: (view: View) => void
}

/** As many as fit on a wide screen. Tooltips name the others. */
const SHOWN = 16

export function ThreadLegend({ tree, view, onView }: ThreadLegendProps): JSX.Element {
  const threads = useMemo(() => (tree === undefined ? [] : threadsIn(tree)), [tree])
  if (tree === undefined || threads.length === 0) return <></>
  const options = { theme: theme.value, palette: paletteOf(view) }
  const more = threads.length - SHOWN
  return (
    <ul class="thread-legend" aria-label="Threads">
      {threads.slice(0, SHOWN).map(({ frame, node, total }) => {
        const name = tree.frames.name[frame]
        const content = (
          <>
            <span class="thread-swatch" style={{ background: threadColour(tree.frames, frame, options) }} />
            {name} <span class="muted">{formatShare(total, tree.sum)}</span>
          </>
        )
        return (
          <li key={frame}>
            {tree.order === 'leaf-first' ? (
              <span class="thread-entry">{content}</span>
            ) : (
              <button
                type="button"
                class="plain thread-entry"
                title={`Zoom to ${name}`}
                onClick={() => onView({ ...view, focus: pathOf(tree, node) })}
              >
                {content}
              </button>
            )}
          </li>
        )
      })}
      {more > 0 && <li class="muted">and {more.toLocaleString('en')} more</li>}
    </ul>
  )
}
