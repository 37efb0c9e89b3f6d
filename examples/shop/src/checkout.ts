// The backend service: prices, stock, payment, invoices. Orders that need the same stock wait for each other, payment waits for
// a bank that does not exist, cards are declined, and invoices take much memory.
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { PRODUCTS } from './catalogue.ts'
import type { Request } from './service.ts'
import { RequestError, inSpan, runService } from './service.ts'
import { startTelemetry } from './telemetry.ts'

interface Order {
  readonly product: number
  readonly count: number
  readonly card: string
}

const telemetry = startTelemetry(process.env['OTEL_SERVICE_NAME'] ?? 'checkout')
const { logger, meter } = telemetry
const orders = meter.createCounter('shop.orders')
const revenue = meter.createCounter('shop.revenue', { unit: 'cents' })

let stock = 5000
meter.createObservableGauge('shop.stock').addCallback(result => result.observe(stock))

/** Resolves when the stock is free. Each order waits for the one before. */
let stockHeld: Promise<unknown> = Promise.resolve()

async function withStockLock<T>(work: () => Promise<T>): Promise<T> {
  const before = stockHeld
  let release = (): void => {}
  stockHeld = new Promise<void>(resolve => (release = resolve))
  await inSpan(telemetry, 'wait for stock', {}, () => before)
  try {
    return await work()
  } finally {
    release()
  }
}

async function placeOrder({ body }: Request): Promise<unknown> {
  const { product, count, card } = JSON.parse(body) as Order
  const { name, cents } = PRODUCTS.find(({ id }) => id === product) ?? { name: '', cents: 0 }
  if (name === '') throw new RequestError(404, `there is no product ${product}`)
  await withStockLock(async () => {
    await inSpan(telemetry, 'reserve stock', { 'shop.product.id': product }, () => sleep(40))
    stock -= count
    if (stock < 100) stock += 5000
  })
  await inSpan(telemetry, 'pay', { 'shop.card.kind': card.slice(0, 4) }, () => pay(card, cents * count))
  orders.add(1)
  revenue.add(cents * count)
  const id = randomUUID()
  logger.emit({
    severityNumber: SeverityNumber.INFO,
    severityText: 'INFO',
    body: `order ${id}: ${count} × ${name}`,
    attributes: { 'shop.order.id': id, 'shop.order.cents': cents * count },
  })
  return { id, cents: cents * count }
}

async function pay(card: string, cents: number): Promise<void> {
  signPayment(card, cents)
  await sleep(60)
  if (card.endsWith('13')) throw new RequestError(402, 'the card was declined')
  if (card.endsWith('99')) throw new Error('the bank does not respond')
}

/** Many rounds, so that guessing takes long. */
function signPayment(card: string, cents: number): string {
  let signature = `${card}:${cents}`
  for (let round = 0; round < 4000; round++) signature = createHash('sha256').update(signature).digest('hex')
  return signature
}

async function showInvoice({ url }: Request): Promise<unknown> {
  const number = Number(url.pathname.split('/')[2])
  const text = inSpan(telemetry, 'render invoice', { 'shop.invoice.number': number }, () => renderInvoice(number))
  return { number, bytes: text.length }
}

/** Builds objects, then lines, then one text: three times the necessary memory. */
function renderInvoice(number: number): string {
  const lines = Array.from({ length: 6000 }, (_, i) => {
    const { name, cents } = PRODUCTS[(number + i) % PRODUCTS.length]
    return { position: i + 1, name, count: (i % 5) + 1, cents, note: `delivered with invoice ${number}` }
  })
  const texts = lines.map(line => JSON.stringify(line).padEnd(160))
  return texts.join('\n')
}

/** Holds the stock every few seconds, so that orders queue up. */
setInterval(() => {
  void inSpan(telemetry, 'count inventory', {}, () => withStockLock(() => sleep(400)))
}, 5000).unref()

await runService({ telemetry, routes: { 'POST /orders': placeOrder, 'GET /invoices': showInvoice } })
