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

export function screensToWalk(): WalkedScreen[] {
  return [
    screen('explore', `explore?${SHOP}&group=cloud.region`, '.top-table tbody tr'),
    screen('explore-flame', `explore?${SHOP}&view=flame`, '.flame-graph canvas'),
    screen('explore-table', `explore?${SHOP}&view=table`, '.top-table tbody tr'),
    screen('explore-sandwich', `explore?${SHOP}&view=sandwich`, '.sandwich-middle'),
    screen('explore-lines', `explore?${SHOP}&view=lines`, '.lines tbody tr'),
    screen('explore-time', `explore?${THREADS}&view=time`, '.flame-graph canvas'),
    screen('explore-threads', `explore?${THREADS}&view=threads`, '.timeline canvas, canvas'),
    screen('explore-heat', `explore?${THREADS}&view=heat`, 'canvas'),
    screen('compare', `compare?${SIDES}`, '.change-summary li'),
    screen('compare-side', `compare?${SIDES}&show=side`, '.side canvas'),
    screen('compare-table', `compare?${SIDES}&show=table`, '.diff-table tbody tr'),
    screen('traces', 'traces', '.trace-table tbody tr'),
    screen('trace', TRACE, '.waterfall-rows [role=row]'),
    screen('slow', 'slow?service=shop', 'main'),
    screen('logs', 'logs', 'main table, main [role=table], main li'),
    screen('metrics', 'metric', 'main'),
    screen('broker', 'broker', 'main'),
    screen('broker-captures', 'broker?tab=captures', 'main'),
    screen('broker-triggers', 'broker?tab=triggers', 'main'),
    screen('files', 'file', 'main button'),
    screen('profiles', `profiles?${SHOP}`, 'main tbody tr'),
    screen('status', 'status', 'main h2'),
    screen('symbols', 'symbols', 'main'),
    screen('missing', 'nowhere', 'main'),
  ]
}

function screen(name: string, path: string, ready: string): WalkedScreen {
  return { name, path: `/${path}`, ready }
}
