// The toolbar of a profile view: tabs, search, display options and export.
import type { ComponentChildren, JSX } from 'preact'
import type { Ref } from 'preact'
import type { FrameTable } from '@hearth/profile'
import type { AttributeSource } from '../../api/profile-source.ts'
import type { Shown, View } from '../../address/view.ts'
import { Icon } from '../controls/icon.tsx'
import { Tabs } from '../controls/tabs.tsx'
import { GraphOptions } from '../flame-graph/graph-options.tsx'

interface SearchState {
  /** Such as `12 calls, 31% of total`; empty without a search. */
  readonly found: string
  readonly problem: string | undefined
  readonly onNext: (direction: 1 | -1) => void
}

export interface ViewToolbarProps {
  readonly source: AttributeSource
  readonly view: View
  readonly onView: (view: View, how?: 'push' | 'replace') => void
  readonly shows: readonly Shown[]
  readonly search: SearchState
  readonly searchField: Ref<HTMLInputElement>
  /** The frames of the tree, to offer the presets that hide some of them. */
  readonly frames: FrameTable | undefined
  readonly children?: ComponentChildren
}

const TITLES: Readonly<Record<Shown, string>> = {
  both: 'Both',
  flame: 'Flame graph',
  table: 'Table',
  sandwich: 'Sandwich',
  lines: 'Lines',
  instructions: 'Instructions',
  time: 'Time order',
  threads: 'Threads',
  heat: 'Heat map',
  tree: 'Call tree',
  graph: 'Call graph',
}

export function ViewToolbar(props: ViewToolbarProps): JSX.Element {
  const { source, view, onView, shows, search, searchField, frames, children } = props
  const hasGraph = view.show === 'flame' || view.show === 'both' || view.show === 'time'
  const isTree = hasGraph || view.show === 'tree' || view.show === 'graph'
  return (
    <div class="bar view-toolbar" data-rove>
      <ViewTabs view={view} onView={onView} shows={shows} />
      <SearchField view={view} onView={onView} search={search} field={searchField} hasGraph={hasGraph} />
      <span class="spring" />
      {isTree && (
        <GraphOptions
          source={source}
          view={view}
          onView={onView}
          frames={frames}
          isInTime={view.show === 'time'}
          isColoured={hasGraph}
        />
      )}
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
        title="Regular expression"
        aria-label="Search as a regular expression"
        aria-pressed={view.regex}
        onClick={() => onView({ ...view, regex: !view.regex }, 'replace')}
      >
        .*
      </button>
      {view.search !== '' && hasGraph && (
        <>
          <button type="button" class="icon plain" aria-label="Previous match" onClick={() => search.onNext(-1)}>
            <Icon name="up" />
          </button>
          <button type="button" class="icon plain" aria-label="Next match" onClick={() => search.onNext(1)}>
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
