// The screens that the head of the page leads to. One more is a line here, a case in route.ts and one in app.tsx.
import { BROKER } from '../address/broker-route.ts'
import { EMPTY_QUERY } from '../address/query.ts'
import type { Route } from '../address/route.ts'
import { DEFAULT_COMPARISON, EXPLORE, FILES, LOGS, METRICS, PROFILES, TRACES } from '../address/route.ts'
import { DEFAULT_VIEW } from '../address/view.ts'

export interface ScreenLink {
  readonly title: string
  readonly key: string
  readonly to: Route
  /** For which it is marked as the current one. */
  readonly screens: readonly Route['screen'][]
}

/** Whether the page came from `hearth view`, with no server behind it that could be asked. */
export const HAS_FILES_ALONE = document.documentElement.dataset['only'] === 'files'

const ALL: readonly ScreenLink[] = [
  { title: 'Explore', key: 'alt+1', to: EXPLORE, screens: ['explore'] },
  {
    title: 'Compare',
    key: 'alt+2',
    to: {
      screen: 'compare',
      before: { ...EMPTY_QUERY, from: 'now-2h', to: 'now-1h' },
      after: EMPTY_QUERY,
      comparison: DEFAULT_COMPARISON,
      view: DEFAULT_VIEW,
    },
    screens: ['compare'],
  },
  {
    title: 'Profiles',
    key: 'alt+3',
    to: PROFILES,
    screens: ['profiles', 'profile'],
  },
  { title: 'Traces', key: 'alt+4', to: TRACES, screens: ['traces', 'trace', 'slow'] },
  { title: 'Logs', key: 'alt+5', to: LOGS, screens: ['logs'] },
  { title: 'Metrics', key: 'alt+6', to: METRICS, screens: ['metric'] },
  {
    title: 'Open a file',
    key: 'alt+7',
    to: FILES,
    screens: ['file'],
  },
  { title: 'Broker', key: 'alt+8', to: BROKER, screens: ['broker', 'capture'] },
  { title: 'Status', key: 'alt+9', to: { screen: 'status' }, screens: ['status'] },
]

export const SCREENS = ALL.filter(({ to }) => !HAS_FILES_ALONE || to === FILES)
