// Display options of a flame graph: direction, colours and root attributes.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { AttributeSource } from '../../api/profile-source.ts'
import type { Colour, View } from '../../address/view.ts'
import { COLOURS, rootsOf } from '../../address/view.ts'
import { showTooltips, tooltips } from '../../state/tooltips.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Combo } from '../controls/combo.tsx'
import { Popover } from '../controls/popover.tsx'

const COLOUR_TITLES: Readonly<Record<Colour, string>> = {
  package: 'Package',
  library: 'Library',
  file: 'File',
  'frame-type': 'Frame type',
  thread: 'Thread',
  function: 'Function',
}

export interface GraphOptionsProps {
  readonly source: AttributeSource
  readonly view: View
  readonly onView: (view: View) => void
  /** Whether boxes are calls in time order. */
  readonly isInTime?: boolean
  /** Whether colours show functions; otherwise they have another meaning. */
  readonly isColoured?: boolean
}

export function GraphOptions(props: GraphOptionsProps): JSX.Element {
  const { source, view, onView, isInTime = false, isColoured = true } = props
  const [open, setOpen] = useState(false)
  const isCollapsed = view.transforms.some(({ kind }) => kind === 'collapse-all-recursion')
  const toggleRecursion = (): void => {
    const rest = view.transforms.filter(({ kind }) => kind !== 'collapse-all-recursion')
    onView({ ...view, transforms: isCollapsed ? rest : [...rest, { kind: 'collapse-all-recursion' }] })
  }
  return (
    <>
      {!isInTime && (
        <button
          type="button"
          aria-pressed={view.inverted}
          title="From the functions that used the time up to their callers (I)"
          onClick={() => onView({ ...view, inverted: !view.inverted, focus: [] })}
        >
          Inverted
        </button>
      )}
      <Popover open={open} onOpen={setOpen} align="right" label="Display">
        <div class="popover-body view-options">
          {isColoured && (
            <label>
              Colour by
              <select
                value={view.colour}
                onChange={event => onView(withColour(view, event.currentTarget.value as Colour))}
              >
                {COLOURS.map(each => (
                  <option key={each} value={each}>
                    {COLOUR_TITLES[each]}
                  </option>
                ))}
              </select>
            </label>
          )}
          {!isInTime && <RootChoice source={source} view={view} onView={onView} />}
          <label>
            <input
              type="checkbox"
              checked={view.colourBlind}
              onChange={event => onView({ ...view, colourBlind: event.currentTarget.checked })}
            />
            Colour-blind palette
          </label>
          <label>
            <input
              type="checkbox"
              checked={view.upwards}
              onChange={event => onView({ ...view, upwards: event.currentTarget.checked })}
            />
            Root at the bottom
          </label>
          {!isInTime && (
            <label title="Otherwise the frames of a library that have no name are one box">
              <input
                type="checkbox"
                checked={view.addresses}
                onChange={event => onView({ ...view, addresses: event.currentTarget.checked, focus: [] })}
              />
              Addresses of unnamed frames
            </label>
          )}
          {!isInTime && (
            <label>
              <input type="checkbox" checked={isCollapsed} onChange={toggleRecursion} />
              Collapse all recursion
            </label>
          )}
          <label>
            <input
              type="checkbox"
              checked={tooltips.value}
              onChange={event => showTooltips(event.currentTarget.checked)}
            />
            Show tooltips
          </label>
        </div>
      </Popover>
    </>
  )
}

/** Resets the zoom if the root attributes change. */
function withColour(view: View, colour: Colour): View {
  const next = { ...view, colour }
  return rootsOf(next).join() === rootsOf(view).join() ? next : { ...next, focus: [] }
}

const NO_ROOT = '\u0000none'

/** Selects the root attributes. A new one is added below the others. */
function RootChoice({ source, view, onView }: GraphOptionsProps): JSX.Element {
  const { roots } = view
  const keys = useLoaded(`${source.key}:attributes`, signal => source.attributes(signal))
  const others = (keys.value ?? []).filter(key => !roots.includes(key))
  return (
    <div class="view-root">
      Root by
      <Combo
        label="Root by"
        width={200}
        value={roots.length === 0 ? NO_ROOT : roots.join(', ')}
        free
        options={[{ value: NO_ROOT, title: 'None' }, ...others.map(value => ({ value }))]}
        onChoose={chosen => onView({ ...view, roots: chosen === NO_ROOT ? [] : [...roots, chosen], focus: [] })}
        empty={keys.loading ? 'Loading attributes' : 'No attributes'}
      />
    </div>
  )
}
