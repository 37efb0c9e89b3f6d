// The shop of the demo: four services, their requests, and their deployments.
//
//   storefront (Node.js) ──► recommendations (Python)
//        └──► checkout (Go) ──► payments (Java)
//
//   noisy neighbour   GET /search occupies the event loop of the storefront, and other requests wait
//   lock              checkout holds the lock of its stock while it queries the database, and counts the inventory every 20 s
//   regression        some versions of recommendations do not cache norms
//   collections       payments stops for its garbage collector
import { CHECKOUT, PAYMENTS, RECOMMENDATIONS, STOREFRONT } from './shop-code.ts'
import type { LogRecord, Mix, Place, Span, Stack, Step, SimulatedThread, Work } from './simulation.ts'
import { Lock, Process, Simulation } from './simulation.ts'
import type { Random } from './random.ts'

export const SERVICES = ['recommendations', 'storefront', 'checkout', 'payments'] as const
export type Service = (typeof SERVICES)[number]

export const LANGUAGES: Readonly<Record<Service, string>> = {
  storefront: 'nodejs',
  checkout: 'go',
  payments: 'java',
  recommendations: 'python',
}

const MINUTE = 60_000
/** One service is deployed every four minutes, each in turn. */
export const DEPLOY_MS = 4 * MINUTE
/** Three quarters of an hour after the shop opens, three times as many customers come. */
const REQUESTS_PER_SECOND = { quiet: 1, busy: 3 } as const
const QUIET_MS = 45 * MINUTE
const INVENTORY_MS = 20_000
/** The first round of deployments with the slow version. Every second one after it is slow too. */
const FIRST_SLOW_ROUND = 3
const SLOWDOWN = 2.2
const COLLECTIONS = {
  storefront: { bytes: 48e6, pause: [6, 22], isWide: false },
  checkout: { bytes: 32e6, pause: [0.3, 1.5], isWide: true },
  payments: { bytes: 60e6, pause: [35, 130], isWide: true },
  recommendations: { bytes: 90e6, pause: [8, 30], isWide: true },
} as const

export interface ShopMetrics {
  orders: number
  stock: number
}

export class Shop {
  readonly simulation: Simulation
  readonly metrics: ShopMetrics = { orders: 0, stock: 5000 }
  readonly #start: number
  readonly #current = new Map<Service, Process>()
  /** Processes of earlier versions that may still end requests. */
  #retiring: Process[] = []
  readonly #stock = new Lock()
  #deployed = 0

  /** `opened` is the time from which deployments count. */
  constructor(opened: number, now: number, random: Random) {
    this.#start = opened
    this.#deployed = Math.floor((now - opened) / DEPLOY_MS)
    this.simulation = new Simulation({ now, random, collections: COLLECTIONS })
    for (const [place, service] of SERVICES.entries()) {
      const round = Math.floor((this.#deployed + SERVICES.length - (place || SERVICES.length)) / SERVICES.length)
      this.#current.set(service, new Process(service, versionOf(service, round), this.#deployed, now))
    }
    this.simulation.start(now, this.#customers())
    this.simulation.start(now, this.#inventory())
  }

  /** Runs the shop until a time, and returns the processes with what happened. Call `drain` on each before the next time. */
  advance(until: number): readonly Process[] {
    const { simulation } = this
    const before = this.#retiring
    this.#retiring = []
    for (;;) {
      const next = this.#start + (this.#deployed + 1) * DEPLOY_MS
      if (next >= until) break
      simulation.advance(next)
      this.#deploy()
    }
    simulation.advance(until)
    return [...new Set([...before, ...this.#retiring, ...this.#current.values()])]
  }

  #deploy(): void {
    const number = ++this.#deployed
    const service = SERVICES[number % SERVICES.length]
    const round = Math.ceil(number / SERVICES.length)
    const old = this.process(service)
    const version = versionOf(service, round)
    const process = new Process(service, version, number, this.simulation.now)
    this.#retiring.push(old)
    this.#current.set(service, process)
    process.logs.push(
      logOf(process, this.simulation.now, 9, `${service} ${version} started, the version before was ${old.version}`),
    )
  }

  /** The process that serves requests now. */
  process(service: Service): Process {
    return this.#current.get(service)!
  }

  *#customers(): Work {
    const { simulation } = this
    const { random } = simulation
    const visits: readonly (readonly [weight: number, route: string, body: Body])[] = [
      [45, 'GET /products', at => this.#products(at)],
      [22, 'GET /search', at => this.#search(at)],
      [23, 'POST /orders', at => this.#order(at)],
      [10, 'GET /account', at => this.#account(at)],
    ]
    for (;;) {
      const rate = REQUESTS_PER_SECOND[simulation.now < this.#start + QUIET_MS ? 'quiet' : 'busy']
      yield { sleep: random.exponential(1000 / rate) }
      const [, route, body] = random.weighted(visits)
      simulation.start(simulation.now, this.#visit(route, body))
    }
  }

  *#visit(route: string, body: Body): Work {
    yield* this.#serve('storefront', route, { traceId: this.simulation.random.hex(32) }, body)
  }

  *#products(at: SpanPlace): Work {
    yield run(at, 4, STOREFRONT.page, 400_000)
    yield* this.#call(at, 'recommendations', 'GET /similar', STOREFRONT.fetch, inner => this.#similar(inner))
    yield run(at, 3, STOREFRONT.page, 300_000)
  }

  *#search(at: SpanPlace): Work {
    const { random } = this.simulation
    // One query in ten is long.
    const cpu = random.next() < 0.1 ? random.between(600, 1100) : random.between(70, 340)
    at.span.attributes['shop.query.length'] = Math.round(cpu / 12)
    yield run(at, 1.5, STOREFRONT.page, 100_000)
    yield* this.#within(at, 'rank products', 1, function* (inner) {
      yield run(inner, cpu, STOREFRONT.search, 4_000_000)
    })
    yield run(at, 1.5, STOREFRONT.page, 200_000)
  }

  *#order(at: SpanPlace): Work {
    yield run(at, 3, STOREFRONT.order, 200_000)
    yield* this.#call(at, 'checkout', 'POST /orders', STOREFRONT.fetch, inner => this.#checkout(inner))
    yield run(at, 1, STOREFRONT.order, 50_000)
  }

  *#account(at: SpanPlace): Work {
    yield* this.#call(at, 'payments', 'GET /cards', STOREFRONT.fetch, inner => this.#cards(inner))
    yield run(at, 5, STOREFRONT.account, 500_000)
  }

  *#checkout(at: SpanPlace): Work {
    const { random } = this.simulation
    yield run(at, random.between(3, 6), CHECKOUT.validate, 500_000)
    yield* this.#within(at, 'reserve stock', 1, inner => this.#reserve(inner))
    yield* this.#call(at, 'payments', 'POST /charge', CHECKOUT.call, inner => this.#charge(inner))
    yield run(at, random.between(1, 3), CHECKOUT.encode, 300_000)
    if (at.span.error !== '') return
    this.metrics.orders++
    this.metrics.stock -= 1
    if (this.metrics.stock < 1000) this.metrics.stock += 4000
  }

  *#reserve(at: SpanPlace): Work {
    const { random } = this.simulation
    yield* this.#waiting(at, CHECKOUT.lock, [{ lock: this.#stock }])
    yield run(at, 1, CHECKOUT.reserve)
    yield* this.#waiting(at, CHECKOUT.query, [{ sleep: random.between(25, 70) }])
    this.simulation.release(this.#stock)
  }

  /** Holds the lock of the stock for long. */
  *#inventory(): Work {
    for (;;) {
      yield { sleep: INVENTORY_MS }
      yield { lock: this.#stock }
      const thread = this.process('checkout').take('goroutine')
      yield { cpu: this.simulation.random.between(300, 600), at: { thread, span: undefined }, mix: CHECKOUT.count }
      thread.isTaken = false
      this.simulation.release(this.#stock)
    }
  }

  *#charge(at: SpanPlace): Work {
    const { random } = this.simulation
    yield run(at, random.between(6, 14), PAYMENTS.sign, 1_500_000)
    yield* this.#waiting(at, PAYMENTS.query, [{ sleep: random.between(8, 30) }])
    yield run(at, random.between(1, 3), PAYMENTS.serialize, 2_500_000)
    if (random.next() < 0.04) at.span.error = 'the card was declined'
  }

  *#cards(at: SpanPlace): Work {
    const { random } = this.simulation
    yield* this.#waiting(at, PAYMENTS.query, [{ sleep: random.between(5, 15) }])
    yield run(at, random.between(2, 4), PAYMENTS.cards, 2_000_000)
  }

  *#similar(at: SpanPlace): Work {
    const { random } = this.simulation
    yield* this.#waiting(at, RECOMMENDATIONS.read, [{ sleep: random.between(2, 6) }])
    yield run(at, random.between(14, 24), RECOMMENDATIONS.score, 3_000_000)
    const factor = isSlow(at.thread.process.version) ? SLOWDOWN : 1
    yield run(at, factor * random.between(8, 14), RECOMMENDATIONS.cosine, 1_000_000)
  }

  /** One request of a service: its span, its thread, its log record. */
  *#serve(
    service: Service,
    name: string,
    parent: Pick<Span, 'traceId'> & Partial<Pick<Span, 'spanId'>>,
    body: Body,
  ): Generator<Step, Span, void> {
    const { simulation } = this
    const process = this.process(service)
    process.enter(simulation.now)
    const isLoop = LANGUAGES[service] === 'nodejs'
    const thread = isLoop ? process.loop() : process.take(THREAD_NAMES[service])
    const place = this.#open(thread, name, 2, parent)
    const [method, route] = name.split(' ')
    Object.assign(place.span.attributes, { 'http.request.method': method, 'http.route': route })
    yield* body(place)
    const { span } = place
    const status = span.error === '' ? 200 : span.error.includes('declined') ? 402 : 500
    span.attributes['http.response.status_code'] = status
    this.#close(span)
    if (!isLoop) thread.isTaken = false
    process.leave(simulation.now)
    const duration = Math.round(span.end - span.start)
    const text = `${name} responded with ${status} in ${duration} ms`
    const attributes = { 'http.route': route, 'http.response.status_code': status }
    if (status !== 200)
      process.logs.push(logOf(process, span.end, 17, `${name} failed: ${span.error}`, span, attributes))
    else process.logs.push(logOf(process, span.end, duration > 700 ? 13 : 9, text, span, attributes))
    return span
  }

  /** A call of another service, with the spans of both sides and the network between them. */
  *#call(at: SpanPlace, service: Service, name: string, stack: Stack, body: Body): Work {
    const { random, now } = this.simulation
    const client = this.#open(at.thread, name.split(' ')[0], 3, at.span)
    client.span.attributes['server.address'] = service
    at.thread.waitsAt = stack
    yield { sleep: random.between(0.3, 1.2) }
    const served = yield* this.#serve(service, name, client.span, body)
    yield { sleep: random.between(0.3, 1.2) }
    if (served.error !== '') at.span.error = client.span.error = served.error
    this.#close(client.span)
    at.thread.waitsAt = undefined
    const { thread, span } = client
    this.#record(thread, span, now, stack)
  }

  /** A span within another one. */
  *#within(at: SpanPlace, name: string, kind: number, body: Body): Work {
    const inner = this.#open(at.thread, name, kind, at.span)
    yield* body(inner)
    this.#close(inner.span)
  }

  /** Steps without a CPU, recorded as one interval. */
  *#waiting({ thread, span }: SpanPlace, stack: Stack, steps: readonly Step[]): Work {
    const from = this.simulation.now
    thread.waitsAt = stack
    yield* steps
    thread.waitsAt = undefined
    this.#record(thread, span, from, stack)
  }

  #record(thread: SimulatedThread, span: Span, from: number, stack: Stack): void {
    const to = this.simulation.now
    if (to - from < 0.05) return
    const isAsync = LANGUAGES[thread.process.service as Service] === 'nodejs'
    thread.process.waits.push({ thread, span, from, to, stack, isAsync })
  }

  #open(
    thread: SimulatedThread,
    name: string,
    kind: number,
    parent: Pick<Span, 'traceId'> & Partial<Pick<Span, 'spanId'>>,
  ): SpanPlace {
    const { random, now } = this.simulation
    const span: Span = {
      traceId: parent.traceId,
      spanId: random.hex(16),
      parentSpanId: parent.spanId ?? '',
      name,
      kind,
      at: { thread, span: undefined },
      start: now,
      end: 0,
      attributes: {},
      error: '',
    }
    return { thread, span }
  }

  #close(span: Span): void {
    span.end = this.simulation.now
    span.at.thread.process.spans.push(span)
  }
}

interface SpanPlace extends Place {
  readonly span: Span
}

/** The work of a request, or of a part of it. */
type Body = (at: SpanPlace) => Work

const THREAD_NAMES: Readonly<Record<Service, string>> = {
  storefront: 'main',
  checkout: 'goroutine',
  payments: 'http-nio-exec',
  recommendations: 'gunicorn-worker',
}

const FIRST_VERSIONS: Readonly<Record<Service, readonly [major: number, minor: number]>> = {
  storefront: [2, 14],
  checkout: [1, 8],
  payments: [5, 2],
  recommendations: [3, 4],
}

function versionOf(service: Service, round: number): string {
  const [major, minor] = FIRST_VERSIONS[service]
  return `${major}.${minor + round}.0`
}

/** Whether it is a version of recommendations with the regression. */
export function isSlow(version: string): boolean {
  const round = Number(version.split('.')[1]) - FIRST_VERSIONS.recommendations[1]
  return round >= FIRST_SLOW_ROUND && (round - FIRST_SLOW_ROUND) % 2 === 0
}

function run(at: Place, cpu: number, mix: Mix, bytes = 0): Step {
  return { cpu, at, mix, bytes }
}

function logOf(
  process: Process,
  time: number,
  severity: number,
  body: string,
  span?: Span,
  attributes: LogRecord['attributes'] = {},
): LogRecord {
  return { process, time, severity, body, span, attributes }
}
