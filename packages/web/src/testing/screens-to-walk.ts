// The screens that the walk visits, with an element that shows that each is complete.
import { traceIdOf } from './shop-traces.ts'

export interface WalkedScreen {
  readonly name: string
  readonly path: string
  /** A selector. */
  readonly ready: string
}

const SHOP = 'service=checkout&type=cpu%3Ans'
const SIDES =
  'a.service=checkout&b.service=checkout&a.type=cpu%3Ans&b.type=cpu%3Ans&a.from=now-56m&a.to=now-30m&b.from=now-25m'
const THREADS = 'service=threads&type=cpu%3Ans&from=now-5m'
/** A slow request. One in ten is slow. */
const TRACE = `trace?id=${traceIdOf(47)}`
const QUERY = encodeURIComponent('checkout/db.(*Pool).Query')
const ORDERS = 'service=storefront&name=POST+%2Forders'
const ROWS = 'main tbody tr'

export function screensToWalk(): WalkedScreen[] {
  return [
    screen('services', '', '.services-table tbody tr'),
    screen('explore', `explore?${SHOP}&group=cloud.region`, '.top-table tbody tr'),
    screen('explore-flame', `explore?${SHOP}&view=flame`, '.flame-graph canvas'),
    screen('explore-table', `explore?${SHOP}&view=table`, '.top-table tbody tr'),
    screen('explore-sandwich', `explore?${SHOP}&view=sandwich`, '.sandwich-middle'),
    screen('explore-lines', `explore?${SHOP}&view=lines`, '.lines tbody tr'),
    screen('explore-tree', `explore?${SHOP}&view=tree`, '.call-row'),
    screen('explore-graph', `explore?${SHOP}&view=graph`, '.call-graph svg, .call-graph canvas'),
    screen('explore-time', `explore?${THREADS}&view=time`, '.flame-graph canvas'),
    screen('explore-threads', `explore?${THREADS}&view=threads`, '.timeline canvas, canvas'),
    screen('explore-heat', `explore?${THREADS}&view=heat`, 'canvas'),
    screen('function', `function?${SHOP}&name=${QUERY}`, ROWS),
    screen('function-lines', `function?${SHOP}&name=${QUERY}&part=lines`, ROWS),
    screen('function-labels', `function?${SHOP}&name=${QUERY}&part=labels&by=cloud.region`, ROWS),
    screen('breakdown', `breakdown?${SHOP}&by=cloud.region`, ROWS),
    screen('breakdown-charts', `breakdown?${SHOP}&by=cloud.region&show=charts`, '.breakdown-multiple svg'),
    screen('breakdown-graphs', `breakdown?${SHOP}&by=cloud.region&show=graphs`, '.breakdown-multiple canvas'),
    screen('compare', `compare?${SIDES}`, '.change-summary li'),
    screen('compare-side', `compare?${SIDES}&show=side`, '.side canvas'),
    screen('compare-table', `compare?${SIDES}&show=table&per=second`, '.diff-table tbody tr'),
    screen('compare-lines', `compare?${SIDES}&show=lines`, '.lines tbody tr'),
    screen('traces', 'traces', '.trace-table tbody tr'),
    screen('trace', TRACE, '.waterfall-rows [role=row]'),
    screen('slow-operations', 'slow?service=storefront', '.operation-name'),
    screen('slow', `slow?${ORDERS}`, '.change-summary li'),
    screen('operation', `operation?${ORDERS}`, 'main h2, main table, main svg'),
    screen('logs', 'logs', 'main table, main [role=table], main li'),
    screen('metrics', 'metric', 'main'),
    screen('broker', 'broker', 'main'),
    screen('broker-captures', 'broker?tab=captures', 'main'),
    screen('broker-triggers', 'broker?tab=triggers', 'main'),
    screen('alerts', 'alerts', '.alerts-body'),
    screen('alerts-alerts', 'alerts?tab=alerts', '.alerts-body h2'),
    screen('alerts-rules', 'alerts?tab=rules', '.alerts-body'),
    screen('alerts-metrics', 'alerts?tab=metrics', '.alerts-body'),
    screen('alerts-messages', 'alerts?tab=messages', '.alerts-body h2'),
    screen('files', 'file', 'main button'),
    screen('profiles', `profiles?${SHOP}`, ROWS),
    screen('status', 'status', 'main h2'),
    screen('targets', 'targets', 'main'),
    screen('symbols', 'symbols', 'main h2'),
    screen('missing', 'no/where', 'main h1, main h2'),
    screen('invalid-time', `explore?${SHOP}&from=yesterdy`, 'main h1, main h2'),
  ]
}

function screen(name: string, path: string, ready: string): WalkedScreen {
  return { name, path: `/${path}`, ready }
}
