// Processes with the agent, and a Broker that asks them: what tests of captures have in common.
import { readOtlp, validate } from '@hearth/profile'
import type { FunctionIndex, Profiles } from '@hearth/profile'
import type { BrokerError, Event, Telemetry } from '@hearth/broker'
import { Category, CONTENT_TYPE, EVENT_TYPE, errorOf, telemetry } from '@hearth/broker'
import { afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import type { Subscription } from '../../../../broker/src/client/testing/small-broker.ts'
import { SmallBroker } from '../../../../broker/src/client/testing/small-broker.ts'
import { HttpBackend } from '../../export/testing/http-backend.ts'
import type { Ended } from '../../testing/agent-process.ts'
import { AgentFolder, buildAgent } from '../../testing/agent-process.ts'

/** Long enough for a process that hardly gets to run. */
export const TTL = 100_000_000_000n

export interface Around {
  readonly folder: AgentFolder
  readonly broker: SmallBroker
  readonly backend: HttpBackend
}

/** A Broker, a backend and a folder, new for each test. */
export function useBroker(): Around {
  beforeAll(buildAgent)
  /** Each starts a process or two, and profiles while other tests have the machine. */
  vi.setConfig({ testTimeout: 120_000 })
  const around = {} as { -readonly [Key in keyof Around]: Around[Key] }
  beforeEach(async () => {
    around.folder = new AgentFolder()
    around.broker = await SmallBroker.open()
    around.backend = await HttpBackend.start()
  })
  afterEach(async () => {
    around.broker.close()
    await around.backend.stop()
    around.folder.remove()
  })
  return around
}

export interface Run {
  readonly subscription: Subscription
  /** When the program has printed this. */
  readonly printed: (text: string) => Promise<void>
  /** Lets the program come to its end. */
  readonly end: () => Promise<Ended>
}

/** `program` prints something when it is under way, and ends at SIGUSR2. */
export async function runProgram(
  { folder, broker, backend }: Around,
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
  // The agent is there before the program: wait for both.
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

let asked = 0

export function ask(subscription: Subscription, params: Event['params'], parts: Partial<Event> = {}): Event {
  const id = `capture-${asked++}`
  return subscription.push({ type: EVENT_TYPE.capture, ttl: TTL, params: { capture_id: id, ...params }, ...parts })
}

export function answerTo(subscription: Subscription, request: Event): Promise<Event> {
  return subscription.seen(event => event.category === Category.RESPONSE && event.parentId === request.id)
}

export async function capture(
  subscription: Subscription,
  params: Event['params'],
  parts: Partial<Event> = {},
): Promise<Event> {
  return answerTo(subscription, ask(subscription, params, parts))
}

export const failureOf = async (subscription: Subscription, params: Event['params'], parts: Partial<Event> = {}) =>
  errorOf(await capture(subscription, params, parts)) as BrokerError

/** Asks until the program has got to do what is looked for: on a busy machine it may not run for a while. */
export async function captureWith(
  subscription: Subscription,
  params: Event['params'],
  name: string,
): Promise<Profiles> {
  for (;;) {
    const answer = await capture(subscription, params)
    if (errorOf(answer)?.kind === 'notFound') continue
    const profiles = profilesOf(answer)
    if (functionsIn(profiles).includes(name)) return profiles
  }
}

export function functionsIn({ dictionary }: Profiles): readonly string[] {
  return Array.from({ length: dictionary.functions.length }, (_, i) =>
    dictionary.strings.text(dictionary.functions.name(i as FunctionIndex)),
  )
}

export function profilesOf(answer: Event): Profiles {
  expect(errorOf(answer)).toBeUndefined()
  expect(answer.contentType).toBe(CONTENT_TYPE.profiles)
  const { profiles } = readOtlp(answer.content, {})
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
