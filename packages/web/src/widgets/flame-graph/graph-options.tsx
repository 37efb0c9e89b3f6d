// Display options of a flame graph: direction, colours and root attributes.
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { FrameOrigin, FrameTable, Transform } from '@hearth/profile'
import { FRAME_ORIGINS, originsIn } from '@hearth/profile'
import type { AttributeSource } from '../../api/profile-source.ts'
import type { Colour, Fold, View } from '../../address/view.ts'
import { COLOURS, rootsOf } from '../../address/view.ts'
import { showTooltips, tooltips } from '../../state/tooltips.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Combo } from '../controls/combo.tsx'
import { Popover } from '../controls/popover.tsx'
import { ORIGIN_TITLES } from './frame-actions.ts'

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
  /** The frames of the tree, for the presets that hide some of them. */
  readonly frames?: FrameTable | undefined
  /** Whether colours show functions; otherwise they have another meaning. */
  readonly isColoured?: boolean
}

export function GraphOptions(props: GraphOptionsProps): JSX.Element {
  const { source, view, onView, isInTime = false, isColoured = true, frames } = props
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
          {!isInTime && (
            <label title="A call that only passes on to one other call. Automatic: where such chains fill the screen">
              Fold chains of calls
              <select
                value={view.fold}
                onChange={event => onView({ ...view, fold: event.currentTarget.value as Fold })}
              >
                <option value="auto">Automatic</option>
                <option value="yes">Always</option>
                <option value="no">Never</option>
              </select>
            </label>
          )}
          {!isInTime && frames !== undefined && <HiddenOrigins frames={frames} view={view} onView={onView} />}
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

interface HiddenOriginsProps {
  readonly frames: FrameTable
  readonly view: View
  readonly onView: (view: View) => void
}

/** Presets that hide the runtime and libraries of the languages in the profile. Their time counts for their callers. */
function HiddenOrigins({ frames, view, onView }: HiddenOriginsProps): JSX.Element | undefined {
  const hidden = new Set(view.transforms.flatMap(each => (each.kind === 'merge-origin' ? [each.origin] : [])))
  const present = useMemo(() => originsIn(frames), [frames])
  const origins = FRAME_ORIGINS.filter(origin => hidden.has(origin) || present.includes(origin))
  if (origins.length === 0) return undefined
  const set = (chosen: readonly FrameOrigin[], isHidden: boolean): void => {
    const rest = view.transforms.filter(each => each.kind !== 'merge-origin' || !chosen.includes(each.origin))
    const more = chosen.map((origin): Transform => ({ kind: 'merge-origin', origin }))
    onView({ ...view, transforms: isHidden ? [...rest, ...more] : rest, focus: [] })
  }
  return (
    <fieldset class="view-origins">
      <legend title="Their time counts for their callers">Hide runtime and libraries</legend>
      {origins.length > 1 && (
        <label>
          <input
            type="checkbox"
            checked={origins.every(origin => hidden.has(origin))}
            onChange={event => set(origins, event.currentTarget.checked)}
          />
          All of these
        </label>
      )}
      {origins.map(origin => (
        <label key={origin}>
          <input
            type="checkbox"
            checked={hidden.has(origin)}
            onChange={event => set([origin], event.currentTarget.checked)}
          />
          {upperFirst(ORIGIN_TITLES[origin])}
        </label>
      ))}
    </fieldset>
  )
}

function upperFirst(text: string): string {
  return text[0].toUpperCase() + text.slice(1)
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
