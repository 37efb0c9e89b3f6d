// The frontend service: products, search, pictures, orders.
import { Worker } from 'node:worker_threads'
import { PRODUCTS, rankProducts } from './catalogue.ts'
import type { Request } from './service.ts'
import { RequestError, call, inSpan, runService } from './service.ts'
import { startTelemetry } from './telemetry.ts'

const telemetry = startTelemetry(process.env['OTEL_SERVICE_NAME'] ?? 'storefront')
const checkout = process.env['CHECKOUT_URL'] ?? 'http://127.0.0.1:3401'
const searches = telemetry.meter.createCounter('shop.searches')

// TypeScript from source, JavaScript when built.
const worker = new Worker(new URL(import.meta.url.replace(/storefront\.(\w+)$/, 'thumbnail-worker.$1')))
const drawings = new Map<number, (pixels: number) => void>()
let drawn = 0
worker.on('message', ({ id, pixels }: { readonly id: number; readonly pixels: number }) => {
  drawings.get(id)?.(pixels)
  drawings.delete(id)
})

async function products(): Promise<unknown> {
  return inSpan(telemetry, 'list products', {}, () =>
    PRODUCTS.slice(0, 40).map(({ id, name, cents }) => ({ id, name, cents })),
  )
}

async function search({ url }: Request): Promise<unknown> {
  const query = url.searchParams.get('q') ?? ''
  if (query === '') throw new RequestError(400, 'the query is empty')
  searches.add(1)
  return inSpan(telemetry, 'rank products', { 'shop.query.length': query.length }, () => rankProducts(query))
}

async function image({ url }: Request): Promise<unknown> {
  const product = Number(url.pathname.split('/')[2])
  return inSpan(telemetry, 'draw thumbnail', { 'shop.product.id': product }, async () => {
    const pixels = await new Promise<number>(resolve => {
      drawings.set(++drawn, resolve)
      worker.postMessage({ id: drawn, product })
    })
    return { product, pixels }
  })
}

async function order({ body }: Request): Promise<unknown> {
  return call(telemetry, 'POST', `${checkout}/orders`, JSON.parse(body))
}

async function invoice({ url }: Request): Promise<unknown> {
  return call(telemetry, 'GET', `${checkout}${url.pathname}`)
}

await runService({
  telemetry,
  routes: {
    'GET /products': products,
    'GET /search': search,
    'GET /images': image,
    'POST /orders': order,
    'GET /invoices': invoice,
  },
})
await worker.terminate()
