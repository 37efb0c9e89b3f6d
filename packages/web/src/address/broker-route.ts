// Addresses of the Broker screens: their tabs and captures.
import type { Fields } from './route-fields.ts'
import { choice, flag, text } from './route-fields.ts'
import type { View } from './view.ts'
import { DEFAULT_VIEW } from './view.ts'

export const BROKER_TABS = ['components', 'captures', 'triggers', 'events'] as const
export type BrokerTab = (typeof BROKER_TABS)[number]

export const EVENT_CATEGORIES = ['', 'MESSAGE', 'REQUEST', 'RESPONSE'] as const

/** Each filter is empty for any value. */
export interface EventFilter {
  /** The type of an event, or its end. */
  readonly type: string
  readonly category: (typeof EVENT_CATEGORIES)[number]
  /** Names of components. */
  readonly source: string
  readonly target: string
  /** Such as delivered or component-gone. */
  readonly outcome: string
}

export interface BrokerRoute extends EventFilter {
  readonly screen: 'broker'
  readonly tab: BrokerTab
  /** The search in the list. */
  readonly find: string
  /** The id of the component with open details. */
  readonly component: string
  /** Whether updates are paused. */
  readonly paused: boolean
  /** The selected trigger: it is edited, or its history is shown. */
  readonly trigger: string
  readonly edits: boolean
  /** The page of the history: `before` of the request. */
  readonly before: string
  /** Whether the form to send an event is open. */
  readonly sends: boolean
}

export const CAPTURE_TIMES = ['next', 'last'] as const

/** The fields of the capture form as typed. The Broker decides empty ones. */
export interface CaptureDraft {
  readonly service: string
  readonly environment: string
  readonly instance: string
  readonly all: boolean
  /** Such as cpu. */
  readonly type: string
  /** Such as `10s`. */
  readonly duration: string
  /** Whether to record from now on, or to take the recent past. */
  readonly time: (typeof CAPTURE_TIMES)[number]
  readonly frequency: string
  readonly reason: string
}

export interface CaptureRoute {
  readonly screen: 'capture'
  /** The id; empty while the form is shown. */
  readonly capture: string
  readonly draft: CaptureDraft
  /** Only profiles of this instance. */
  readonly of: string
  /** Such as `cpu:nanoseconds`; the captured type by default. */
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

export const draftFields: Fields<CaptureDraft> = {
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

export const EMPTY_DRAFT: CaptureDraft = {
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

/** A capture without an id, or the form for a new one. */
export const CAPTURE: CaptureRoute = {
  screen: 'capture',
  capture: '',
  draft: EMPTY_DRAFT,
  of: '',
  shown: '',
  view: DEFAULT_VIEW,
}
