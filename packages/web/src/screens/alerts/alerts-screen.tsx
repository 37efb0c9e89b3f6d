// The Alerts area: findings, alerts with silences, rules, recording rules, and messages to receivers.
import type { JSX } from 'preact'
import type { AlertTab, AlertsRoute } from '../../address/alerts-route.ts'
import { ALERTS } from '../../address/alerts-route.ts'
import { navigate } from '../../state/navigation.ts'
import { Tabs } from '../../widgets/controls/tabs.tsx'
import { AlertsTab } from './alerts-tab.tsx'
import { FindingsTab } from './findings-tab.tsx'
import { MessagesTab } from './messages-tab.tsx'
import { RecordingTab } from './recording-tab.tsx'
import { RulesTab } from './rules-tab.tsx'
import '../explore/explore.css'
import './alerts.css'

const TABS: readonly { readonly value: AlertTab; readonly title: string }[] = [
  { value: 'findings', title: 'Findings' },
  { value: 'alerts', title: 'Alerts' },
  { value: 'rules', title: 'Alert rules' },
  { value: 'metrics', title: 'Recording rules' },
  { value: 'messages', title: 'Messages' },
]

export function AlertsScreen({ route }: { readonly route: AlertsRoute }): JSX.Element {
  const { tab } = route
  return (
    <div class="explore alerts">
      <h1 class="visually-hidden">{TABS.find(({ value }) => value === tab)?.title}</h1>
      <div class="bar">
        <Tabs label="Alerts" options={TABS} value={tab} onChange={value => navigate({ ...ALERTS, tab: value })} />
      </div>
      <div class="alerts-body" key={tab}>
        <Tab route={route} />
      </div>
    </div>
  )
}

function Tab({ route }: { readonly route: AlertsRoute }): JSX.Element {
  switch (route.tab) {
    case 'findings':
      return <FindingsTab route={route} />
    case 'alerts':
      return <AlertsTab route={route} />
    case 'rules':
      return <RulesTab />
    case 'metrics':
      return <RecordingTab />
    case 'messages':
      return <MessagesTab />
  }
}
