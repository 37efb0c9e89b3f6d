// The Captures area: connected components, captures, triggers that start captures, and the events of the Broker.
import type { JSX } from 'preact'
import type { BrokerRoute, BrokerTab } from '../../address/broker-route.ts'
import { BROKER } from '../../address/broker-route.ts'
import { useCommands } from '../../state/commands.ts'
import { navigate } from '../../state/navigation.ts'
import { Tabs } from '../../widgets/controls/tabs.tsx'
import { CapturesTab } from './captures/captures-tab.tsx'
import { ComponentsTab } from './components/components-tab.tsx'
import { EventsTab } from './events/events-tab.tsx'
import { TriggersTab } from './triggers/triggers-tab.tsx'
import '../explore/explore.css'
import './broker.css'

const TABS: readonly { readonly value: BrokerTab; readonly title: string }[] = [
  { value: 'components', title: 'Components' },
  { value: 'captures', title: 'Captures' },
  { value: 'triggers', title: 'Triggers' },
  { value: 'events', title: 'Events' },
]

export function BrokerScreen({ route }: { readonly route: BrokerRoute }): JSX.Element {
  const { tab } = route
  useCommands(
    () =>
      TABS.map(({ value, title }, i) => ({
        title: `Show ${title.toLowerCase()}`,
        group: 'Captures',
        keys: [String(i + 1)],
        run: () => navigate({ ...BROKER, tab: value }),
      })),
    [],
  )
  return (
    <div class="explore broker">
      <h1 class="visually-hidden">{TABS.find(({ value }) => value === tab)?.title}</h1>
      <div class="bar">
        <Tabs label="Captures" options={TABS} value={tab} onChange={value => navigate({ ...BROKER, tab: value })} />
      </div>
      <Tab key={tab} route={route} />
    </div>
  )
}

function Tab({ route }: { readonly route: BrokerRoute }): JSX.Element {
  switch (route.tab) {
    case 'components':
      return <ComponentsTab route={route} />
    case 'captures':
      return <CapturesTab route={route} />
    case 'triggers':
      return <TriggersTab route={route} />
    case 'events':
      return <EventsTab route={route} />
  }
}
