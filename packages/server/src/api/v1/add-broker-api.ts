// Routes of the Broker below /api/v1: who asks and whether they may, what for, and the answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BrokerControl } from '../../broker/control.ts'
import type { SpanIds } from '../../broker/captures/capture-request.ts'
import type { ApiV1Options } from './add-api-v1.ts'
import { askerOf, credentialsOf, leaving } from './add-api-v1.ts'
import type { BrokerAnswer, BrokerAsker } from './broker-handlers.ts'
import { brokerHandlers } from './broker-handlers.ts'
import type { BrokerEndpoint, BrokerEndpointName } from './broker-endpoints.ts'
import { brokerEndpoints } from './broker-endpoints.ts'
import { RequestError } from './response/failure.ts'
import type { QueryText } from './request/read-request.ts'
import { checked, fromQuery } from './request/read-request.ts'
import { sendAnswer, sendFile } from './response/send-response.ts'
import { EventWatches } from './broker/event-watches.ts'

/** Content of an event as base64, and what is around it. */
const MAX_BODY = 24 * 2 ** 20
const SMALL_BODY = 2 ** 20

export function addBrokerApi(scope: FastifyInstance, options: ApiV1Options): void {
  const { control } = options
  const watches = control === undefined ? undefined : new EventWatches(control)
  for (const name of Object.keys(brokerEndpoints) as BrokerEndpointName[]) {
    const endpoint: BrokerEndpoint = brokerEndpoints[name]
    scope.route({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      bodyLimit: name === 'sendEvent' ? MAX_BODY : SMALL_BODY,
      handler: async (request, reply) => {
        if (control === undefined || watches === undefined)
          throw new RequestError(404, 'no-broker', 'the Broker is switched off; the setting `broker` switches it on')
        return answer({ ...options, control, watches }, name, request, reply)
      },
    })
  }
}

async function answer(
  options: ApiV1Options & { readonly control: BrokerControl; readonly watches: EventWatches },
  name: BrokerEndpointName,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { gatekeeper, gate, control, watches } = options
  const { method, scope, request: schema, status = 200 }: BrokerEndpoint = brokerEndpoints[name]
  const { tenant, token } = gatekeeper.identify(credentialsOf(request), scope)
  const hasBody = method === 'POST' || method === 'PUT'
  const asked = hasBody ? checked(schema, request.body) : fromQuery(schema, request.query as QueryText)
  const signal = leaving(reply)
  const asker: BrokerAsker = {
    ...askerOf(options, tenant, signal),
    control,
    watches,
    by: token === '' ? 'anyone' : token,
    span: spanOf(request.headers['traceparent']),
    inTurn: task => gate.run(tenant, signal, task),
  }
  const [inPath = ''] = Object.values(request.params as Readonly<Record<string, string>>)
  const handle = brokerHandlers[name] as (asker: BrokerAsker, request: unknown, inPath: string) => Promise<BrokerAnswer>
  try {
    const found = await handle(asker, asked, inPath)
    const onLength = (bytes: number): void => void reply.raw.once('close', gate.sending(tenant, bytes))
    if ('lines' in found) {
      // A proxy that gathers what it gets would show nothing.
      void reply.type('application/x-ndjson').header('cache-control', 'no-store').header('x-accel-buffering', 'no')
      return reply.send(found.lines)
    }
    if ('file' in found) return sendFile(request, reply, found.file, { cache: 'private, no-cache', onLength })
    if (status !== 200) void reply.code(status)
    return sendAnswer(request, reply, found.sent, { hasColumns: false, cache: 'private, no-cache', onLength })
  } catch (error) {
    if (!signal.aborted) throw error
    // Nobody is there to be answered.
    reply.hijack()
    reply.raw.destroy()
    return reply
  }
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/

/** W3C's header; undefined where there is none, or it says nothing. */
function spanOf(header: string | readonly string[] | undefined): SpanIds | undefined {
  const match = TRACEPARENT.exec(typeof header === 'string' ? header : '')
  if (match === null || /^0+$/.test(match[1]) || /^0+$/.test(match[2])) return undefined
  return { traceId: match[1], spanId: match[2] }
}
