// Baseline and comparison as two flame graphs. A function has the same colour in both and is highlighted in both.
import { formatValue } from '@hearth/profile'
import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ComparisonSource, TreeSource } from '../../api/profile-source.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { View } from '../../address/view.ts'
import { Failure } from '../failure.tsx'
import { FlameGraph } from '../flame-graph/flame-graph.tsx'
import { graphProps } from '../flame-graph/graph-props.ts'
import { orderFor, useShownTree } from '../flame-graph/use-shown-tree.ts'
import { Progress } from '../controls/progress.tsx'

export interface SideBySideProps {
  readonly source: ComparisonSource
  readonly view: View
  readonly onView: (view: View) => void
  readonly search: string
}

export function SideBySide({ source, view, onView, search }: SideBySideProps): JSX.Element {
  const marked = useSignal<string | undefined>(undefined)
  const shared = { view, onView, search, marked }
  return (
    <div class="side-by-side">
      <Side title="Baseline" source={source.before} {...shared} />
      <Side title="Comparison" source={source.after} {...shared} />
    </div>
  )
}

interface SideProps extends Omit<SideBySideProps, 'source'> {
  readonly title: string
  readonly source: TreeSource
  /** The name of the function under the pointer on either side. */
  readonly marked: Signal<string | undefined>
}

function Side({ title, source, view, onView, search, marked }: SideProps): JSX.Element {
  const order = orderFor(view)
  const loaded = useLoaded(`${source.key}:${order}`, signal => source.tree(order, signal))
  const { tree, result } = useShownTree(loaded.value, { ...view, search })
  const markedFrame = useSignal<number | undefined>(undefined)
  const names = useMemo(() => new Map(tree?.frames.name.map((name, i) => [name, i])), [tree])
  const name = marked.value
  markedFrame.value = name === undefined ? undefined : names.get(name)
  return (
    <section class="side" aria-label={`${title} profile`}>
      <h2>
        {title} <span class="muted">{tree === undefined ? '' : formatValue(tree.sum, tree.unit)}</span>
      </h2>
      <div class="profile-graph">
        <Progress of={loaded} what="Loading profiles" />
        {loaded.error !== undefined && !loaded.loading ? (
          <Failure error={loaded.error} onRetry={loaded.retry} />
        ) : (
          <FlameGraph
            tree={tree}
            label={`${title} flame graph`}
            {...graphProps(view, onView)}
            colourBy={view.colour}
            matches={result?.matches}
            marked={markedFrame}
            onHover={hit => (marked.value = hit === undefined ? undefined : tree?.frames.name[hit.frame])}
            onFocus={({ path, by }) => {
              if (by === 'click' || by === 'key') onView({ ...view, focus: path })
            }}
          />
        )}
      </div>
    </section>
  )
}
