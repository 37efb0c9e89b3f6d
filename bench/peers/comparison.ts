// The figures of several servers as a table. Ratios say how many times better the first server is.
import type { Figures, Latency } from './measure-backend.ts'
import type { PushedProfile } from './requests.ts'

interface Row {
  readonly name: string
  /** Undefined if a server has no figure. */
  readonly value: (figures: Figures) => number | undefined
  readonly text: (value: number, figures: Figures) => string
  /** Whether a larger value is better. */
  readonly more?: boolean
}

export function comparison(all: readonly Figures[], profile: PushedProfile, requests: number): string {
  const [ours, ...peers] = all
  const size = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
  const head = `${requests.toLocaleString('en')} pushes of a CPU profile, ${profile.samples} samples, ${size(ours.pprof.bytes)}`
  const lines = [
    `| ${[head, ours.name, ...peers.flatMap(({ name }) => [name, 'ratio'])].join(' | ')} |`,
    `| --- | ${all.map((_, i) => (i === 0 ? '---:' : '---: | ---:')).join(' | ')} |`,
    ...rowsOf(ours, requests).map(row => lineOf(row, ours, peers)),
  ]
  const fewer = peers.filter(({ profiles }) => profiles < ours.profiles)
  const notes = fewer.map(({ name, profiles }) => `${name} got ${profiles.toLocaleString('en')} profiles.`)
  return [...lines, ...(notes.length === 0 ? [] : ['', notes.join(' ')])].join('\n')
}

function lineOf({ name, value, text, more = false }: Row, ours: Figures, peers: readonly Figures[]): string {
  const show = (figures: Figures): string => {
    const found = value(figures)
    return found === undefined ? '–' : text(found, figures)
  }
  const own = value(ours)
  const cells = peers.flatMap(peer => {
    const theirs = value(peer)
    if (own === undefined || theirs === undefined) return [show(peer), '–']
    return [show(peer), `${(more ? own / theirs : theirs / own).toFixed(1)}×`]
  })
  return `| ${[name, show(ours), ...cells].join(' | ')} |`
}

function rowsOf(ours: Figures, requests: number): readonly Row[] {
  const otlp = `OTLP over HTTP, ${((ours.otlp?.bytes ?? 0) / 1000).toFixed(0)} kB`
  const rate = (value: number): string => Math.round(value).toLocaleString('en')
  const latency = (name: string, of: (figures: Figures) => Latency | undefined): Row => ({
    name: `${name}, p50 (CPU)`,
    value: figures => of(figures)?.p50,
    text: (value, figures) => {
      const { cpu = 0, share = 1 } = of(figures) ?? {}
      const part = share === 1 ? '' : `, ${(share * 100).toFixed(0)} % of the data`
      return `${millis(value)} (${millis(cpu)}${part})`
    },
  })
  return [
    { name: 'pprof push, CPU per request', value: ({ pprof }) => pprof.cpuMillis, text: millis },
    { name: 'pprof push, acknowledged per second', value: ({ pprof }) => pprof.perSecond, text: rate, more: true },
    { name: `${otlp}, CPU per request`, value: figures => figures.otlp?.cpuMillis, text: millis },
    { name: `${otlp}, acknowledged per second`, value: figures => figures.otlp?.perSecond, text: rate, more: true },
    {
      name: `disk for ${requests.toLocaleString('en')} profiles`,
      value: ({ diskPerProfile }) => diskPerProfile * requests,
      text: megabytes,
    },
    { name: 'memory after the pushes', value: ({ memory }) => memory, text: megabytes },
    latency('flame graph of everything', ({ queries }) => queries.everything),
    latency('flame graph of one service', ({ queries }) => queries.service),
    latency('merged pprof of one service', ({ queries }) => queries.pprof),
    latency('series of one service', ({ queries }) => queries.series),
    latency('label values', ({ queries }) => queries['label values']),
    latency('profile types', ({ queries }) => queries['profile types']),
    { name: 'first flame graph after a restart', value: ({ first }) => first, text: millis },
  ]
}

function millis(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`
}

function megabytes(value: number): string {
  return `${(value / 1e6).toFixed(value < 1e7 ? 1 : 0)} MB`
}
