// Processes with the agent, and a Broker that requests captures of them. Shared by the tests of captures.
import { readOtlp, validate } from '@hearth/profile'
import type { FunctionIndex, Profiles } from '@hearth/profile'
import type { BrokerError, Event, Telemetry } from '@hearth/broker'
import { Category, CONTENT_TYPE, EVENT_TYPE, errorOf, telemetry } from '@hearth/broker'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Subscription } from '../../../../broker/src/client/testing/small-broker.ts'
import { SmallBroker } from '../../../../broker/src/client/testing/small-broker.ts'
import { HttpBackend } from '../../export/testing/http-backend.ts'
import type { Ended } from '../../testing/agent-process.ts'
import { AgentFolder } from '../../testing/agent-process.ts'

/** Long enough for a process on a very busy machine. */
export const TTL = 100_000_000_000n

export interface Surroundings {
  readonly folder: AgentFolder
  readonly broker: SmallBroker
  readonly backend: HttpBackend
}

/** A Broker, a backend and a folder, new for each test. */
export function useBroker(): Surroundings {
  /** Each test starts a process or two and profiles while other tests use the machine. */
  vi.setConfig({ testTimeout: 120_000 })
  const surroundings = {} as { -readonly [Key in keyof Surroundings]: Surroundings[Key] }
  beforeEach(async () => {
    surroundings.folder = new AgentFolder()
    surroundings.broker = await SmallBroker.open()
    surroundings.backend = await HttpBackend.start()
  })
  afterEach(async () => {
    surroundings.broker.close()
    await surroundings.backend.stop()
    surroundings.folder.remove()
  })
  return surroundings
}

export interface Run {
  readonly subscription: Subscription
  /** Resolves when the program has printed the text. */
  readonly printed: (text: string) => Promise<void>
  /** Ends the program. */
  readonly end: () => Promise<Ended>
}

/** `program` prints something when it runs, and ends at SIGUSR2. */
export async function runProgram(
  { folder, broker, backend }: Surroundings,
  program: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  let started: (kill: (signal: NodeJS.Signals) => void) => void = () => {}
  const start = new Promise<(signal: NodeJS.Signals) => void>(resolve => (started = resolve))
  let output = ''
  const ended = folder.run(program, {
    env: {
      HEARTH_BROKER_ENDPOINT: broker.address,
      HEARTH_BROKER_TOKEN: 'secret',
      HEARTH_HEAP_INTERVAL_BYTES: '4096',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${backend.port}`,
      OTEL_SERVICE_NAME: 'Check Out',
      OTEL_RESOURCE_ATTRIBUTES:
        'service.namespace=shop,service.version=1.2.3,service.instance.id=i-1,deployment.environment.name=prod',
      ...env,
    },
    onOutput: (stdout, kill) => {
      output = stdout
      started(kill)
    },
  })
  // The agent subscribes before the program runs: wait for both.
  const kill = await start
  const subscription = await broker.subscription()
  return {
    subscription,
    printed: text => vi.waitFor(() => expect(output).toContain(text), { timeout: 60_000 }),
    end: () => {
      kill('SIGUSR2')
      return ended
    },
  }
}

let requests = 0

export function requestCapture(subscription: Subscription, params: Event['params'], parts: Partial<Event> = {}): Event {
  const id = `capture-${requests++}`
  return subscription.push({ type: EVENT_TYPE.capture, ttl: TTL, params: { capture_id: id, ...params }, ...parts })
}

export function responseTo(subscription: Subscription, request: Event): Promise<Event> {
  return subscription.seen(event => event.category === Category.RESPONSE && event.parentId === request.id)
}

export async function capture(
  subscription: Subscription,
  params: Event['params'],
  parts: Partial<Event> = {},
): Promise<Event> {
  return responseTo(subscription, requestCapture(subscription, params, parts))
}

export const failureOf = async (subscription: Subscription, params: Event['params'], parts: Partial<Event> = {}) =>
  errorOf(await capture(subscription, params, parts)) as BrokerError

/** Repeats the capture until the function is in it: on a busy machine the program may not run for a while. */
export async function captureWith(
  subscription: Subscription,
  params: Event['params'],
  name: string,
): Promise<Profiles> {
  for (;;) {
    const response = await capture(subscription, params)
    if (errorOf(response)?.kind === 'notFound') continue
    const profiles = profilesOf(response)
    if (functionsIn(profiles).includes(name)) return profiles
  }
}

export function functionsIn({ dictionary }: Profiles): readonly string[] {
  return Array.from({ length: dictionary.functions.length }, (_, i) =>
    dictionary.strings.text(dictionary.functions.name(i as FunctionIndex)),
  )
}

export function profilesOf(response: Event): Profiles {
  expect(errorOf(response)).toBeUndefined()
  expect(response.contentType).toBe(CONTENT_TYPE.profiles)
  const { profiles } = readOtlp(response.content, {})
  expect(validate(profiles, {})).toEqual([])
  return profiles
}

export async function telemetryWith(
  subscription: Subscription,
  test: (content: Telemetry) => boolean,
): Promise<Telemetry> {
  const event = await subscription.seen(
    each => each.type === EVENT_TYPE.telemetry && test(telemetry.decode(each.content)),
  )
  return telemetry.decode(event.content)
}
