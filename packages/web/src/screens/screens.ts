// The areas in the navigation bar. A new one needs a line here, a case in route.ts and one in app.tsx.
import { ALERTS } from '../address/alerts-route.ts'
import { BROKER } from '../address/broker-route.ts'
import { EMPTY_QUERY } from '../address/query.ts'
import type { Route } from '../address/route.ts'
import { compareRoute } from '../address/compare-route.ts'
import { EXPLORE, FILES, LOGS, METRICS, SERVICES, SYMBOLS, TRACES } from '../address/route.ts'
import { HAS_FILES_ALONE } from '../state/files-alone.ts'

interface ScreenLink {
  readonly title: string
  readonly key: string
  readonly to: Route
  /** The screens for which this area is marked as current. */
  readonly screens: readonly Route['screen'][]
}

const ALL: readonly ScreenLink[] = [
  { title: 'Services', key: 'alt+0', to: SERVICES, screens: ['services'] },
  {
    title: 'Explore',
    key: 'alt+1',
    to: EXPLORE,
    screens: ['explore', 'breakdown', 'function', 'profiles', 'profile'],
  },
  {
    title: 'Compare',
    key: 'alt+2',
    to: compareRoute({ ...EMPTY_QUERY, from: 'now-2h', to: 'now-1h' }, EMPTY_QUERY),
    screens: ['compare'],
  },
  { title: 'Traces', key: 'alt+3', to: TRACES, screens: ['traces', 'trace', 'slow', 'operation'] },
  { title: 'Logs', key: 'alt+4', to: LOGS, screens: ['logs'] },
  { title: 'Metrics', key: 'alt+5', to: METRICS, screens: ['metric'] },
  { title: 'Captures', key: 'alt+6', to: BROKER, screens: ['broker', 'capture'] },
  { title: 'Alerts', key: 'alt+a', to: ALERTS, screens: ['alerts'] },
  { title: 'Files', key: 'alt+7', to: FILES, screens: ['file'] },
  { title: 'Symbols', key: 'alt+8', to: SYMBOLS, screens: ['symbols'] },
  { title: 'Status', key: 'alt+9', to: { screen: 'status' }, screens: ['status', 'targets'] },
]

export const SCREENS = ALL.filter(({ to }) => !HAS_FILES_ALONE || to === FILES)
