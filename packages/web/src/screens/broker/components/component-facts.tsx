// Everything that is known of one component: who it is, what is routed to it, what it says of itself.
import type { ComponentRow } from '@hearth/client'
import type { JSX } from 'preact'
import { CAPTURE, NO_WISH } from '../../../address/broker-route.ts'
import { EMPTY_QUERY } from '../../../address/query.ts'
import { EXPLORE } from '../../../address/route.ts'
import { Facts } from '../../../widgets/facts.tsx'
import { formatMoment } from '../../../widgets/format-time.ts'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { canCapture } from './group-components.ts'

export interface ComponentFactsProps {
  readonly row: ComponentRow
  /** The id of the Broker that answers. */
  readonly own: string
}

export function ComponentFacts({ row, own }: ComponentFactsProps): JSX.Element {
  const { component, service, instance, environment, routes, defaultHandler, since, attributes } = row
  const identity = [
    ['type', component.type],
    ['namespace', component.app],
    ['service', service],
    ['name', component.name],
    ['environment', environment],
    ['version', component.hash],
    ['id', component.id],
    ['Broker', component.brokerId === own ? `${own}, this one` : component.brokerId],
    ['since', formatMoment(Date.parse(since))],
  ] as const
  return (
    <>
      <div class="broker-panel-buttons">
        {canCapture(row) && (
          <RouteLink
            class="button primary"
            to={{ ...CAPTURE, wish: { ...NO_WISH, service, environment, instance } }}
            title={`Ask ${instance} for a profile`}
          >
            Capture this one
          </RouteLink>
        )}
        <RouteLink
          class="button"
          to={{
            ...EXPLORE,
            query: {
              ...EMPTY_QUERY,
              service,
              filters: [{ key: 'service.instance.id', operator: '=', value: instance }],
            },
          }}
        >
          Its profiles
        </RouteLink>
      </div>
      <Facts
        title="Component"
        properties={identity.filter(([, value]) => value !== '').map(([key, value]) => ({ key, value }))}
      />
      <section>
        <h2>Routes</h2>
        {routes.length > 0 && (
          <table class="plain-table broker-routes">
            <thead>
              <tr>
                <th scope="col">Rule</th>
                <th scope="col" class="number">
                  Priority
                </th>
              </tr>
            </thead>
            <tbody>
              {routes.map(({ id, rule, priority }) => (
                <tr key={id}>
                  <td class="code">{rule}</td>
                  <td class="number">{priority.toLocaleString('en')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <p class="muted">
          {defaultHandler
            ? 'Takes whatever is sent to it by name and no rule matches.'
            : routes.length === 0
              ? 'None: nothing is routed to it.'
              : 'Takes nothing but what a rule matches.'}
        </p>
      </section>
      <Facts title="Attributes" properties={Object.entries(attributes).map(([key, value]) => ({ key, value }))} />
    </>
  )
}
