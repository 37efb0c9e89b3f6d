// Components that respond to captures, and the profiles they send.
import type { Event } from '@hearth/broker'
import { BrokerError, CONTENT_TYPE, Category, EVENT_TYPE, errorContent } from '@hearth/broker'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import type { StreamOptions } from './component-stream.ts'
import { ComponentStream } from './component-stream.ts'

export interface TestRecorderOptions extends StreamOptions {
  /** The response to a capture. Undefined sends none, and an exception sends an error. */
  readonly onCapture?: (event: Event) => Partial<Event> | undefined
}

export class TestRecorder {
  readonly stream: ComponentStream
  readonly captures: Event[] = []
  readonly cancels: Event[] = []

  private constructor(stream: ComponentStream) {
    this.stream = stream
  }

  static async subscribe(port: number, { onCapture, ...options }: TestRecorderOptions = {}): Promise<TestRecorder> {
    const definition = { defaultHandler: true, profileTypes: ['cpu', 'heap'], ...options.definition }
    const stream = await ComponentStream.subscribe(port, { ...options, definition })
    const recorder = new TestRecorder(stream)
    stream.onEvent = ({ event }) => {
      if (event?.type === EVENT_TYPE.captureCancel) recorder.cancels.push(event)
      if (event?.type !== EVENT_TYPE.capture || event.category !== Category.REQUEST) return
      recorder.captures.push(event)
      recorder.#respond(event, onCapture)
    }
    return recorder
  }

  get id(): string {
    return this.stream.component.id
  }

  #respond(event: Event, onCapture: TestRecorderOptions['onCapture']): void {
    try {
      const parts = onCapture === undefined ? { content: profileOf('work') } : onCapture(event)
      if (parts !== undefined) this.stream.respond(event, { contentType: CONTENT_TYPE.profiles, ...parts })
    } catch (error) {
      const content = errorContent(BrokerError.from(error))
      this.stream.respond(event, { type: EVENT_TYPE.error, contentType: CONTENT_TYPE.json, content })
    }
  }
}

export interface ProfileParts {
  /** Unix nanoseconds. Default: now. */
  readonly time?: bigint
  readonly value?: number
  readonly id?: Uint8Array
  readonly attributes?: Readonly<Record<string, string>>
  readonly service?: string
}

/** ProfilesData with one profile whose only stack is `main` and the named function. */
export function profileOf(name: string, parts: ProfileParts = {}): Uint8Array {
  const { time = BigInt(Date.now()) * 1_000_000n, value = 10_000_000, id, attributes = {}, service } = parts
  const builder = new ProfilesBuilder()
  const of = service === undefined ? [] : [{ key: 'service.name', value: service }]
  builder.resource({ attributes: of })
  builder.scope({ name: 'recorder' })
  builder.profile({
    type: 'cpu',
    unit: 'nanoseconds',
    timeUnixNano: time,
    durationNano: 1_000_000_000,
    ...(id === undefined ? {} : { id }),
    attributes: Object.entries(attributes).map(([key, text]) => builder.attribute(key, text)),
  })
  const frame = (text: string) => builder.location({ lines: [{ function: builder.function({ name: text }), line: 1 }] })
  builder.sample({ stack: builder.stack([frame(name), frame('main')]), values: [value] })
  return encodeOtlp(builder.build())
}
