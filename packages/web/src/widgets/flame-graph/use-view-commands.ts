// The keys of a profile view. The keys for a function act on the selected box and equal those in its menu.
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
  flame: 'Show flame graph',
  table: 'Show table',
  sandwich: 'Show sandwich',
  lines: 'Show source lines',
  instructions: 'Show instructions',
  time: 'Show time order',
  threads: 'Show threads',
  heat: 'Show heat map',
  tree: 'Show call tree',
  graph: 'Show call graph',
}

/** Keys that the focused drawing handles itself. */
const OF_THE_GRAPH: readonly (readonly [string, readonly string[]])[] = [
  ['Next box', ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']],
  ['Zoom to the box', ['Enter']],
  ['Zoom out', ['Escape', 'Backspace']],
  ['Zoom out completely', ['Home']],
  ['Zoom in and out (also Ctrl and wheel)', ['+', '-']],
  ['Scroll', ['PageUp', 'PageDown']],
  ['Open menu of the box', ['shift+F10']],
]

/** Keys of the time view. */
const OF_THE_CHART: readonly (readonly [string, readonly string[]])[] = [
  ['Zoom in and out', ['W', 'S']],
  ['Pan', ['A', 'D']],
  ['Show the whole time', ['0']],
]

function showCommands(shows: readonly Shown[], onShow: (show: Shown) => void): Command[] {
  return shows.map((show, i) => ({
    title: TITLES[show],
    group: 'Views',
    // There are nine keys. The palette lists all views.
    keys: i < 9 ? [String(i + 1)] : [],
    run: () => onShow(show),
  }))
}

/** Keys that switch views, for views without the other keys of flame graphs. */
export function useShowCommands(shows: readonly Shown[], onShow: (show: Shown) => void): void {
  const latest = useRef(onShow)
  latest.current = onShow
  useCommands(() => showCommands(shows, show => latest.current(show)), [shows.join()])
}

/** A placeholder to list the actions for a function. */
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
      { title: 'Previous match', group: 'Search', keys: ['shift+n'], run: () => latest.current.onNext(-1) },
      {
        title: 'Invert flame graph',
        group: 'Flame graph',
        keys: ['i'],
        run: () => change({ inverted: !view().inverted, focus: [] }),
      },
      {
        title: 'Flip flame graph',
        group: 'Flame graph',
        keys: ['u'],
        run: () => change({ upwards: !view().upwards }),
      },
      {
        title: 'Zoom out completely',
        group: 'Flame graph',
        keys: ['0'],
        run: () => change({ focus: [] }),
      },
      {
        title: 'Undo last transform',
        group: 'Flame graph',
        keys: ['shift+z'],
        run: () => show({ ...view(), transforms: view().transforms.slice(0, -1) }),
      },
      ...documentedKeys('Flame graph (focused)', OF_THE_GRAPH),
      ...documentedKeys('Time order (focused)', shows.includes('time') ? OF_THE_CHART : []),
      ...frameActions(ANY, context).flatMap(({ title, key }) =>
        key === undefined ? [] : [{ title, group: 'Selected function', keys: [key], run: act(key) }],
      ),
    ]
  }, [given.shows.join(), given.context.onFilter === undefined])
}
