// The keys of a profile's view. Those about a function are the same as in its menu, and mean the selected box.
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import type { Command } from '../../state/commands.ts'
import { documentedKeys, useCommands } from '../../state/commands.ts'
import type { Shown } from '../../address/view.ts'
import type { ActionContext, ActionTarget } from './frame-actions.ts'
import { frameActions } from './frame-actions.ts'

export interface ViewCommands {
  readonly context: ActionContext & { readonly onView: (view: ActionContext['view'], how?: 'push' | 'replace') => void }
  readonly shows: readonly Shown[]
  readonly searchField: RefObject<HTMLInputElement | null>
  readonly targetOfSelected: () => ActionTarget | undefined
  readonly onNext: (direction: 1 | -1) => void
}

const TITLES: Readonly<Record<Shown, string>> = {
  both: 'Show table and flame graph',
  flame: 'Show the flame graph',
  table: 'Show the table',
  sandwich: 'Show the sandwich',
  lines: 'Show source lines',
  time: 'Show the order of time',
  threads: 'Show the timeline of threads',
  heat: 'Show the heat map of times',
}

/** What the drawing listens to by itself while it has the focus. */
const OF_THE_GRAPH: readonly (readonly [string, readonly string[]])[] = [
  ['Walk from box to box', ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']],
  ['Zoom to the box', ['Enter']],
  ['Zoom out', ['Escape', 'Backspace']],
  ['Zoom to everything', ['Home']],
  ['Zoom in and out; the wheel with Ctrl does too', ['+', '-']],
  ['Scroll', ['PageUp', 'PageDown']],
  ['Menu of the box', ['shift+F10']],
]

/** The same of the time view. */
const OF_THE_CHART: readonly (readonly [string, readonly string[]])[] = [
  ['Zoom in and out', ['W', 'S']],
  ['Move to earlier and later', ['A', 'D']],
  ['Show all of the time', ['0']],
]

function showCommands(shows: readonly Shown[], onShow: (show: Shown) => void): Command[] {
  return shows.map((show, i) => ({
    title: TITLES[show],
    group: 'Views',
    keys: [String(i + 1)],
    run: () => onShow(show),
  }))
}

/** The keys that lead to views, of those that have no others in common with flame graphs. */
export function useShowCommands(shows: readonly Shown[], onShow: (show: Shown) => void): void {
  const latest = useRef(onShow)
  latest.current = onShow
  useCommands(() => showCommands(shows, show => latest.current(show)), [shows.join()])
}

/** A function that stands for any, to make the list of what can be done with one. */
const ANY: ActionTarget = { name: '', file: '', mapping: 'any', path: [] }

export function useViewCommands(given: ViewCommands): void {
  const latest = useRef(given)
  latest.current = given
  const act = (key: string) => (): void => {
    const { targetOfSelected, context } = latest.current
    const target = targetOfSelected()
    if (target === undefined) return
    frameActions(target, context)
      .find(item => item.key === key)
      ?.run()
  }
  useCommands((): Command[] => {
    const view = (): ActionContext['view'] => latest.current.context.view
    const show = latest.current.context.onView
    const { shows, context } = latest.current
    const change = (to: Partial<ActionContext['view']>) => latest.current.context.onView({ ...view(), ...to })
    return [
      ...showCommands(shows, each => change({ show: each })),
      {
        title: 'Search functions',
        group: 'Search',
        keys: ['/', 'mod+f'],
        run: () => latest.current.searchField.current?.focus(),
      },
      { title: 'Next match', group: 'Search', keys: ['n'], run: () => latest.current.onNext(1) },
      { title: 'Match before', group: 'Search', keys: ['shift+n'], run: () => latest.current.onNext(-1) },
      {
        title: 'Invert the flame graph',
        group: 'Flame graph',
        keys: ['i'],
        run: () => change({ inverted: !view().inverted, focus: [] }),
      },
      {
        title: 'Turn the flame graph upside down',
        group: 'Flame graph',
        keys: ['u'],
        run: () => change({ upwards: !view().upwards }),
      },
      {
        title: 'Zoom out to everything',
        group: 'Flame graph',
        keys: ['0'],
        run: () => change({ focus: [] }),
      },
      {
        title: 'Undo the last change of the stacks',
        group: 'Flame graph',
        keys: ['shift+z'],
        run: () => show({ ...view(), transforms: view().transforms.slice(0, -1) }),
      },
      ...documentedKeys('Flame graph, when it has the focus', OF_THE_GRAPH),
      ...documentedKeys('Time order, when it has the focus', shows.includes('time') ? OF_THE_CHART : []),
      ...frameActions(ANY, context).flatMap(({ title, key }) =>
        key === undefined ? [] : [{ title, group: 'The selected function', keys: [key], run: act(key) }],
      ),
    ]
  }, [given.shows.join(), given.context.onFilter === undefined])
}
