// Addresses of the Alerts screen.
import type { Fields } from './route-fields.ts'
import { choice, text } from './route-fields.ts'

export const ALERT_TABS = ['findings', 'alerts', 'rules', 'metrics', 'messages'] as const
export type AlertTab = (typeof ALERT_TABS)[number]

export interface AlertsRoute {
  readonly screen: 'alerts'
  readonly tab: AlertTab
  /** Empty for all services. */
  readonly service: string
  /** The id of the finding with open details. */
  readonly finding: string
}

export const ALERTS: AlertsRoute = { screen: 'alerts', tab: 'findings', service: '', finding: '' }

export const alertsFields: Fields<Omit<AlertsRoute, 'screen'>> = {
  tab: ['tab', choice(ALERT_TABS, 'findings')],
  service: ['service', text()],
  finding: ['finding', text()],
}
