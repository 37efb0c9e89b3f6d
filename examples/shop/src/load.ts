// Customers: a few requests per second, until the parent process or a signal ends it.
import { setTimeout as sleep } from 'node:timers/promises'
import { PRODUCTS } from './catalogue.ts'

const storefront = process.env['STOREFRONT_URL'] ?? 'http://127.0.0.1:3400'
const everyMs = Number(process.env['SHOP_PAUSE_MS'] ?? 600)
const SHORT = ['oak stol', 'coper ketle', 'lamp', 'wol blanket', 'bras lantern']
const LONG = [
  'everydy hand-maed stonwear teepot',
  'polishd foldingg cast irn fier screan',
  'evryday paintedd walnuttt lanterns',
]

/** A load without the rare searches that take long is alike from minute to minute. */
const LONG_SEARCHES = process.env['SHOP_LONG_SEARCHES'] === 'no' ? SHORT : LONG

const some = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]
const product = (): number => some(PRODUCTS).id
const search = (query: string): Promise<unknown> => ask('GET', `/search?q=${encodeURIComponent(query)}`)

/** The actions of customers, with their weights. */
const habits: readonly (readonly [weight: number, act: () => Promise<unknown>])[] = [
  [6, () => ask('GET', '/products')],
  [5, () => search(some(SHORT))],
  [2, () => search(some(LONG_SEARCHES))],
  [4, () => ask('GET', `/images/${product()}`)],
  [5, () => ask('POST', '/orders', { product: product(), count: 1 + Math.floor(Math.random() * 3), card: card() })],
  [2, () => ask('GET', `/invoices/${Math.floor(Math.random() * 10_000)}`)],
  [1, () => ask('GET', '/search')],
]

/** One in twelve orders is declined, and one in 25 gets no response of the bank. */
function card(): string {
  const luck = Math.random()
  return `4000-${luck < 0.08 ? '13' : luck < 0.12 ? '99' : '42'}`
}

async function ask(method: string, path: string, content?: unknown): Promise<void> {
  const body = content === undefined ? {} : { body: JSON.stringify(content) }
  const response = await fetch(`${storefront}${path}`, { method, ...body })
  await response.arrayBuffer()
}

/** Every habit as often as its weight says, in random order. So each customer does the same in the long run. */
function day(): (() => Promise<unknown>)[] {
  const acts = habits.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))
  return acts
    .map(act => ({ act, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ act }) => act)
}

async function beCustomer(): Promise<void> {
  for (;;) {
    for (const act of day()) {
      try {
        await act()
      } catch {
        // The shop is not open yet, or closed already.
      }
      await sleep(everyMs * (0.5 + Math.random()))
    }
  }
}

for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => process.exit(0))
for (let customer = 0; customer < 4; customer++) void beCustomer()
