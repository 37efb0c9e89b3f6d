// Addresses of the Broker's pages: its tabs, and captures, each of which has an address of its own.
import type { Fields } from './route-fields.ts'
import { choice, flag, text } from './route-fields.ts'
import type { View } from './view.ts'
import { DEFAULT_VIEW } from './view.ts'

export const BROKER_TABS = ['components', 'captures', 'triggers', 'events'] as const
export type BrokerTab = (typeof BROKER_TABS)[number]

export const EVENT_CATEGORIES = ['', 'MESSAGE', 'REQUEST', 'RESPONSE'] as const

/** Each empty for any. */
export interface EventFilter {
  /** Of events, or how it ends. */
  readonly type: string
  readonly category: (typeof EVENT_CATEGORIES)[number]
  /** Names of components. */
  readonly source: string
  readonly target: string
  /** As delivered or component-gone. */
  readonly outcome: string
}

export interface BrokerRoute extends EventFilter {
  readonly screen: 'broker'
  readonly tab: BrokerTab
  /** What is looked for in the list. */
  readonly find: string
  /** The component of which everything is shown, by its id. */
  readonly component: string
  /** Whether what is shown stays as it is. */
  readonly paused: boolean
  /** The trigger that is looked at: it is edited, or only its history is shown. */
  readonly trigger: string
  readonly edits: boolean
  /** The page of the history: `before` of the request. */
  readonly before: string
  /** Whether an event is being written. */
  readonly sends: boolean
}

export const CAPTURE_TIMES = ['next', 'last'] as const

/** What is asked for, as it is typed; each empty where it is left to the Broker. */
export interface CaptureWish {
  readonly service: string
  readonly environment: string
  readonly instance: string
  readonly all: boolean
  /** As cpu. */
  readonly type: string
  /** As `10s`. */
  readonly duration: string
  /** The time that comes, or the one that has just been. */
  readonly time: (typeof CAPTURE_TIMES)[number]
  readonly frequency: string
  readonly reason: string
}

export interface CaptureRoute {
  readonly screen: 'capture'
  /** Its id; empty while one is being asked for. */
  readonly capture: string
  readonly wish: CaptureWish
  /** Only profiles of this instance. */
  readonly of: string
  /** As `cpu:nanoseconds`; what was captured unless chosen. */
  readonly shown: string
  readonly view: View
}

export const brokerFields: Fields<Omit<BrokerRoute, 'screen'>> = {
  tab: ['tab', choice(BROKER_TABS, 'components')],
  find: ['find', text()],
  component: ['component', text()],
  paused: ['paused', flag()],
  trigger: ['trigger', text()],
  edits: ['edit', flag()],
  before: ['before', text()],
  type: ['type', text()],
  category: ['category', choice(EVENT_CATEGORIES, '')],
  source: ['source', text()],
  target: ['target', text()],
  outcome: ['outcome', text()],
  sends: ['send', flag()],
}

export const wishFields: Fields<CaptureWish> = {
  service: ['service', text()],
  environment: ['environment', text()],
  instance: ['instance', text()],
  all: ['all', flag()],
  type: ['type', text('cpu')],
  duration: ['duration', text('10s')],
  time: ['time', choice(CAPTURE_TIMES, 'next')],
  frequency: ['hz', text()],
  reason: ['reason', text()],
}

export const captureFields: Fields<Pick<CaptureRoute, 'capture' | 'of' | 'shown'>> = {
  capture: ['id', text()],
  of: ['of', text()],
  shown: ['shown', text()],
}

export const BROKER: BrokerRoute = {
  screen: 'broker',
  tab: 'components',
  find: '',
  component: '',
  paused: false,
  trigger: '',
  edits: false,
  before: '',
  type: '',
  category: '',
  source: '',
  target: '',
  outcome: '',
  sends: false,
}

export const NO_WISH: CaptureWish = {
  service: '',
  environment: '',
  instance: '',
  all: false,
  type: 'cpu',
  duration: '10s',
  time: 'next',
  frequency: '',
  reason: '',
}

/** Of one capture, of which the id is left to say, or of the next one. */
export const CAPTURE: CaptureRoute = {
  screen: 'capture',
  capture: '',
  wish: NO_WISH,
  of: '',
  shown: '',
  view: DEFAULT_VIEW,
}
