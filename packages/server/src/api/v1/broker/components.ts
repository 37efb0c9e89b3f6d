// Components that are connected to the Broker.
import { z } from 'zod'
import { environmentOf, instanceOf, isOfService, serviceOf } from '../../../broker/captures/pick-instances.ts'
import type { LiveComponent } from '../../../broker/components/live-component.ts'
import { LOOK_BACK_SECONDS } from '../../../broker/triggers/trigger-request.ts'
import { defineEndpoint } from '../endpoint.ts'
import { count } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { brokerComponent, componentJson } from './event-json.ts'
import { name } from './parameters.ts'

const componentRow = nameSchema(
  'ComponentRow',
  z.strictObject({
    component: brokerComponent,
    service: z.string().meta({ description: 'service.name' }),
    instance: z.string().meta({ description: 'service.instance.id' }),
    environment: z.string().meta({ description: 'Empty if unknown' }),
    profileTypes: z.array(z.string()).meta({ description: 'The profile types it can capture' }),
    lookBackSeconds: z.number().optional().meta({ description: 'How far it can look back' }),
    attributes: z.record(z.string(), z.string()),
    routes: z.array(z.strictObject({ id: z.int(), rule: z.string(), priority: z.number() })),
    defaultHandler: z.boolean().meta({ description: 'Whether it receives events that match none of its rules' }),
    since: z.string().meta({ description: 'When it subscribed' }),
    load: z.strictObject({
      queued: count.meta({ description: 'Events waiting in its queue' }),
      inFlight: count.meta({ description: 'Requests it has not responded to' }),
      received: count.meta({ description: 'Events from it' }),
      sent: count,
      dropped: count.meta({ description: 'Messages dropped because it was too slow' }),
    }),
    remote: z.boolean().meta({ description: 'Whether it is connected to another Broker' }),
    capturing: z.boolean().meta({ description: 'Whether a capture of it is running' }),
  }),
)

export const components = defineEndpoint({
  name: 'components',
  method: 'GET',
  path: '/components',
  summary: 'Components that are connected to this Broker and to other Brokers',
  request: z.strictObject({
    service: name('Only components of this service'),
    environment: name('Only components of this deployment.environment.name'),
  }),
  response: z.strictObject({
    components: z.array(componentRow),
    broker: z
      .strictObject({
        id: z.string(),
        mesh: z
          .strictObject({
            kind: z.enum(['local', 'nats']),
            connected: z.boolean(),
            message: z.string(),
            since: z.string(),
            peers: z.array(z.string()).meta({ description: 'Ids of the other Brokers' }),
          })
          .meta({ description: 'The connection to other Brokers' }),
      })
      .meta({ description: 'The Broker of this server' }),
  }),
  async handle({ broker: { broker, captures }, tenant, signal }, { service, environment }) {
    const all = await broker.components(tenant, signal)
    const matching = all.filter(
      live =>
        (service === undefined || isOfService(live, service)) &&
        (environment === undefined || environmentOf(live) === environment),
    )
    const { id, mesh } = broker.state()
    return {
      components: matching.map(live => rowJson(live, captures.isRunningOn(tenant, live))),
      broker: { id, mesh: { ...mesh, peers: [...mesh.peers] } },
    }
  },
})

function rowJson(live: LiveComponent, capturing: boolean): z.infer<typeof componentRow> {
  const { component, profileTypes, attributes, routes, defaultHandler, since, load, remote } = live
  const lookBack = Number(attributes[LOOK_BACK_SECONDS] ?? 0)
  return {
    component: componentJson(component),
    service: serviceOf(live),
    instance: instanceOf(live),
    environment: environmentOf(live),
    profileTypes: [...profileTypes],
    ...(lookBack > 0 ? { lookBackSeconds: lookBack } : {}),
    attributes: { ...attributes },
    routes: routes.map(({ id, rule, priority }) => ({ id, rule, priority })),
    defaultHandler,
    since: new Date(since).toISOString(),
    load: { ...load },
    remote,
    capturing,
  }
}
