// The details of a component: identity, routes and attributes.
import type { ComponentRow } from '@hearth/client'
import type { JSX } from 'preact'
import { CAPTURE, EMPTY_DRAFT } from '../../../address/broker-route.ts'
import { EMPTY_QUERY } from '../../../address/query.ts'
import { EXPLORE } from '../../../address/route.ts'
import { DetailList } from '../../../widgets/detail-list.tsx'
import { formatMoment } from '../../../widgets/format-time.ts'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { canCapture } from '../../links/can-capture.ts'

export interface ComponentDetailsProps {
  readonly row: ComponentRow
  /** The id of the Broker that this server runs. */
  readonly own: string
}

export function ComponentDetails({ row, own }: ComponentDetailsProps): JSX.Element {
  const { component, service, instance, environment, routes, defaultHandler, since, attributes } = row
  const identity = [
    ['type', component.type],
    ['namespace', component.app],
    ['service', service],
    ['name', component.name],
    ['environment', environment],
    ['version', component.hash],
    ['id', component.id],
    ['Broker', component.brokerId === own ? `${own} (this server)` : component.brokerId],
    ['connected since', formatMoment(Date.parse(since))],
  ] as const
  return (
    <>
      <div class="broker-panel-buttons">
        {canCapture(row) && (
          <RouteLink
            class="button primary"
            to={{ ...CAPTURE, draft: { ...EMPTY_DRAFT, service, environment, instance } }}
            title={`Capture a profile of ${instance}`}
          >
            Capture
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
          Show profiles
        </RouteLink>
      </div>
      <DetailList
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
            ? 'Also receives events that are addressed to it and match no rule.'
            : routes.length === 0
              ? 'None. The component receives no events.'
              : 'Receives only events that match a rule.'}
        </p>
      </section>
      <DetailList title="Attributes" properties={Object.entries(attributes).map(([key, value]) => ({ key, value }))} />
    </>
  )
}
