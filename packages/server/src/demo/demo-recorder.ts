// The process of the demo that responds to captures. It subscribes to the Broker as an agent does, but in the server's own process.
import type { Event } from '@hearth/broker'
import {
  BrokerError,
  CONTENT_TYPE,
  Category,
  EVENT_TYPE,
  createComponent,
  createDefinition,
  createEvent,
  errorContent,
  matchedEvents,
  responseTo,
  ttlOfMs,
  writeDefinition,
} from '@hearth/broker'
import type { Broker } from '../broker/broker.ts'
import type { Subscription } from '../broker/components/subscription.ts'
import { LOOK_BACK_SECONDS as LOOK_BACK_ATTRIBUTE } from '../broker/triggers/trigger-request.ts'
import type { CapturedProcess } from './demo-handlers.ts'
import { CAPTURED_SERVICE, LOOK_BACK_SECONDS } from './demo-handlers.ts'
import { ATTRIBUTES } from './shop-resource.ts'
import type { LookBack, LookedBack } from './shop-profiles.ts'

export interface DemoRecorderOptions {
  readonly broker: Broker
  readonly tenant: string
  /** Resolves when the samples of the range are there. */
  readonly capture: (range: LookBack) => Promise<LookedBack | undefined>
}

const TTL_MS = 10_000
const FREQUENCY_HZ = 100

export class DemoRecorder {
  readonly #options: DemoRecorderOptions
  #subscription: Subscription | undefined
  #instance = ''

  constructor(options: DemoRecorderOptions) {
    this.#options = options
  }

  /** Subscribes the process unless it is subscribed, and ends the subscription of another one. Throws BrokerError. */
  follow({ instance, version }: CapturedProcess): void {
    if (instance === this.#instance) return
    this.close()
    const { broker, tenant } = this.#options
    const component = createComponent({
      type: 'Process',
      app: ATTRIBUTES.namespace,
      name: CAPTURED_SERVICE,
      id: instance,
    })
    const definition = createDefinition({
      defaultHandler: true,
      profileTypes: ['cpu'],
      attributes: {
        'service.name': CAPTURED_SERVICE,
        'service.instance.id': instance,
        'service.version': version,
        'deployment.environment.name': ATTRIBUTES.environment,
        [ATTRIBUTES.mark]: 'true',
        [LOOK_BACK_ATTRIBUTE]: String(LOOK_BACK_SECONDS),
      },
    })
    const register = createEvent({
      type: EVENT_TYPE.register,
      category: Category.REQUEST,
      ttl: ttlOfMs(TTL_MS),
      source: component,
      content: writeDefinition(definition),
      contentType: CONTENT_TYPE.json,
    })
    this.#subscription = broker.subscribe({ tenant, component, isConsole: false }, register, {
      write: (bytes, done) => {
        const { event } = matchedEvents.decode(bytes)
        if (event?.type === EVENT_TYPE.capture && event.category === Category.REQUEST) void this.#respond(event)
        done()
      },
      setReading: () => {},
      end: () => {},
    })
    this.#instance = instance
  }

  close(): void {
    const subscription = this.#subscription
    this.#subscription = undefined
    this.#instance = ''
    if (subscription !== undefined) this.#options.broker.unsubscribe(subscription, 'the process of the demo ended')
  }

  /** Never rejects. */
  async #respond(request: Event): Promise<void> {
    const subscription = this.#subscription
    if (subscription === undefined) return
    let parts: Partial<Event>
    try {
      const found = await this.#options.capture(rangeOf(request))
      if (found === undefined) throw new BrokerError('notFound', 'the process used no CPU in this time')
      const params = { sample_count: found.samples, frequency_hz: FREQUENCY_HZ }
      parts = { contentType: CONTENT_TYPE.profiles, content: found.content, params }
    } catch (error) {
      const content = errorContent(BrokerError.from(error))
      parts = { type: EVENT_TYPE.error, contentType: CONTENT_TYPE.json, content }
    }
    if (subscription !== this.#subscription) return
    const response = responseTo(request, subscription.component, parts)
    this.#options.broker.accept(subscription, response, performance.now(), response.content.length)
  }
}

function rangeOf({ params }: Event): LookBack {
  const text = (name: string): string => (typeof params[name] === 'string' ? params[name] : '')
  const ids = { traceId: text('trace_id'), spanId: text('span_id') }
  const [from, until] = [text('from_unix_nano'), text('to_unix_nano')]
  if (from !== '' && until !== '') return { from: Number(from) / 1e6, until: Number(until) / 1e6, ...ids }
  const now = Date.now()
  return { from: now, until: now + Number(params['duration_ms'] ?? 0), ...ids }
}
