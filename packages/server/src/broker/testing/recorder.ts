// Components that answer captures, and the profiles they answer with.
import type { Event } from '@hearth/broker'
import { BrokerError, CONTENT_TYPE, Category, EVENT_TYPE, errorContent } from '@hearth/broker'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import type { StreamOptions } from './component-stream.ts'
import { ComponentStream } from './component-stream.ts'

export interface RecorderOptions extends StreamOptions {
  /** What to answer a capture with; undefined leaves it unanswered. Errors are sent as such. */
  readonly onCapture?: (event: Event) => Partial<Event> | undefined
}

export class Recorder {
  readonly stream: ComponentStream
  readonly captures: Event[] = []
  readonly cancels: Event[] = []

  private constructor(stream: ComponentStream) {
    this.stream = stream
  }

  static async subscribe(port: number, { onCapture, ...options }: RecorderOptions = {}): Promise<Recorder> {
    const definition = { defaultHandler: true, profileTypes: ['cpu', 'heap'], ...options.definition }
    const stream = await ComponentStream.subscribe(port, { ...options, definition })
    const recorder = new Recorder(stream)
    stream.onEvent = ({ event }) => {
      if (event?.type === EVENT_TYPE.captureCancel) recorder.cancels.push(event)
      if (event?.type !== EVENT_TYPE.capture || event.category !== Category.REQUEST) return
      recorder.captures.push(event)
      recorder.#answer(event, onCapture)
    }
    return recorder
  }

  get id(): string {
    return this.stream.component.id
  }

  #answer(event: Event, onCapture: RecorderOptions['onCapture']): void {
    try {
      const parts = onCapture === undefined ? { content: profileOf('work') } : onCapture(event)
      if (parts !== undefined) this.stream.answer(event, { contentType: CONTENT_TYPE.profiles, ...parts })
    } catch (error) {
      const content = errorContent(BrokerError.from(error))
      this.stream.answer(event, { type: EVENT_TYPE.error, contentType: CONTENT_TYPE.json, content })
    }
  }
}

export interface ProfileParts {
  /** Nanoseconds since 1970; now unless given. */
  readonly time?: bigint
  readonly value?: number
  readonly id?: Uint8Array
  readonly attributes?: Readonly<Record<string, string>>
  readonly service?: string
}

/** ProfilesData of one profile: `main` above the function that is named. */
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
