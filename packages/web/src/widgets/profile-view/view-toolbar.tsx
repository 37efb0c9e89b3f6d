// How the profiles are shown: the views, the search, colours and directions, and ways to take it along.
import type { ComponentChildren, JSX } from 'preact'
import type { Ref } from 'preact'
import { useState } from 'preact/hooks'
import { showTooltips, tooltips } from '../../state/tooltips.ts'
import type { ProfileSource } from '../../api/profile-source.ts'
import type { Colour, Shown, View } from '../../address/view.ts'
import { COLOURS, rootsOf } from '../../address/view.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Combo } from '../combo.tsx'
import { Icon } from '../icon.tsx'
import { Popover } from '../popover.tsx'
import { Tabs } from '../tabs.tsx'

export interface SearchState {
  /** As `12 calls, 31%`; empty where nothing is searched. */
  readonly found: string
  readonly problem: string | undefined
  readonly onNext: (direction: 1 | -1) => void
}

export interface ViewToolbarProps {
  readonly source: ProfileSource
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  readonly shows: readonly Shown[]
  readonly search: SearchState
  readonly searchField: Ref<HTMLInputElement>
  readonly children?: ComponentChildren
}

const TITLES: Readonly<Record<Shown, string>> = {
  both: 'Both',
  flame: 'Flame graph',
  table: 'Table',
  sandwich: 'Sandwich',
  lines: 'Lines',
  time: 'Time order',
  threads: 'Threads',
  heat: 'Heat map',
}
const COLOUR_TITLES: Readonly<Record<Colour, string>> = {
  package: 'Package',
  library: 'Library',
  file: 'File',
  'frame-type': 'Frame type',
  thread: 'Thread',
  function: 'Function',
}

export function ViewToolbar(props: ViewToolbarProps): JSX.Element {
  const { source, view, onView, shows, search, searchField, children } = props
  const hasGraph = view.show === 'flame' || view.show === 'both' || view.show === 'time'
  return (
    <div class="bar view-toolbar">
      <ViewTabs view={view} onView={onView} shows={shows} />
      <SearchField view={view} onView={onView} search={search} field={searchField} hasGraph={hasGraph} />
      <span class="spring" />
      {hasGraph && <GraphOptions source={source} view={view} onView={onView} />}
      {children}
    </div>
  )
}

export function ViewTabs({ view, onView, shows }: Pick<ViewToolbarProps, 'view' | 'onView' | 'shows'>): JSX.Element {
  return (
    <Tabs
      label="Show"
      options={shows.map(value => ({ value, title: TITLES[value] }))}
      value={view.show}
      onChange={show => onView({ ...view, show })}
    />
  )
}

interface SearchFieldProps extends Pick<ViewToolbarProps, 'view' | 'onView' | 'search'> {
  readonly field: Ref<HTMLInputElement>
  readonly hasGraph: boolean
}

function SearchField({ view, onView, search, field, hasGraph }: SearchFieldProps): JSX.Element {
  return (
    <div class="view-search" role="search">
      <input
        ref={field}
        type="search"
        aria-label="Search functions"
        placeholder="Search functions  /"
        spellcheck={false}
        value={view.search}
        onInput={event => onView({ ...view, search: event.currentTarget.value }, 'replace')}
        onKeyDown={event => {
          if (event.key === 'Enter') search.onNext(event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') {
            onView({ ...view, search: '' }, 'replace')
            event.currentTarget.blur()
          }
        }}
      />
      <button
        type="button"
        class="icon code"
        title="As a regular expression"
        aria-label="Search as a regular expression"
        aria-pressed={view.regex}
        onClick={() => onView({ ...view, regex: !view.regex }, 'replace')}
      >
        .*
      </button>
      {view.search !== '' && hasGraph && (
        <>
          <button type="button" class="icon plain" aria-label="Match before" onClick={() => search.onNext(-1)}>
            <Icon name="up" />
          </button>
          <button type="button" class="icon plain" aria-label="Match after" onClick={() => search.onNext(1)}>
            <Icon name="down" />
          </button>
        </>
      )}
      <span class={search.problem === undefined ? 'muted' : 'view-problem'} role="status">
        {search.problem ?? search.found}
      </span>
    </div>
  )
}

function GraphOptions({ source, view, onView }: Pick<ViewToolbarProps, 'source' | 'view' | 'onView'>): JSX.Element {
  const [open, setOpen] = useState(false)
  const isCollapsed = view.transforms.some(({ kind }) => kind === 'collapse-all-recursion')
  const toggleRecursion = (): void => {
    const rest = view.transforms.filter(({ kind }) => kind !== 'collapse-all-recursion')
    onView({ ...view, transforms: isCollapsed ? rest : [...rest, { kind: 'collapse-all-recursion' }] })
  }
  return (
    <>
      {view.show !== 'time' && (
        <button
          type="button"
          aria-pressed={view.inverted}
          title="From where time was spent up to what called it (I)"
          onClick={() => onView({ ...view, inverted: !view.inverted, focus: [] })}
        >
          Inverted
        </button>
      )}
      <Popover open={open} onOpen={setOpen} align="right" label="Display">
        <div class="popover-body view-options">
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
          {view.show !== 'time' && <RootChoice source={source} view={view} onView={onView} />}
          <label>
            <input
              type="checkbox"
              checked={view.colourBlind}
              onChange={event => onView({ ...view, colourBlind: event.currentTarget.checked })}
            />
            Colours for the colour-blind
          </label>
          <label>
            <input
              type="checkbox"
              checked={view.upwards}
              onChange={event => onView({ ...view, upwards: event.currentTarget.checked })}
            />
            Root at the bottom
          </label>
          {view.show !== 'time' && (
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
            Tell of boxes beside the pointer
          </label>
        </div>
      </Popover>
    </>
  )
}

/** Where one is zoomed into is lost where something else comes to stand at the root. */
function withColour(view: View, colour: Colour): View {
  const next = { ...view, colour }
  return rootsOf(next).join() === rootsOf(view).join() ? next : { ...next, focus: [] }
}

const NO_ROOT = '\u0000none'

/** What stands at the root of the stacks; another one is put below those before. */
function RootChoice({ source, view, onView }: Pick<ViewToolbarProps, 'source' | 'view' | 'onView'>): JSX.Element {
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
        options={[{ value: NO_ROOT, title: 'Nothing' }, ...others.map(value => ({ value }))]}
        onChoose={chosen => onView({ ...view, roots: chosen === NO_ROOT ? [] : [...roots, chosen], focus: [] })}
        empty={keys.loading ? 'Reading attributes' : 'No attributes'}
      />
    </div>
  )
}
