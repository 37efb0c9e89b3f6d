// The figures of several servers as a table. Ratios say how many times better the first server is.
import type { Figures, Latency } from './measure-backend.ts'
import type { PushedProfile } from './requests.ts'

interface Row {
  readonly name: string
  /** Undefined if a server has no figure. */
  readonly value: (figures: Figures) => number | undefined
  readonly text: (value: number) => string
  /** Follows the value. */
  readonly details?: (figures: Figures) => string
  /** The value that the first server should reach. */
  readonly goal?: number
  /** Whether a larger value is better. */
  readonly more?: boolean
}

export function comparison(all: readonly Figures[], profile: PushedProfile, requests: number): string {
  const [ours, ...peers] = all
  const size = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
  const head = `${requests.toLocaleString('en')} pushes of a CPU profile, ${profile.samples} samples, ${size(ours.pprof.bytes)}`
  const lines = [
    `| ${[head, ours.name, 'goal', ...peers.flatMap(({ name }) => [name, 'ratio'])].join(' | ')} |`,
    `| --- | ${all.map(() => '---: | ---:').join(' | ')} |`,
    ...rowsOf(ours, requests).map(row => lineOf(row, ours, peers)),
  ]
  const fewer = peers.filter(({ profiles }) => profiles < ours.profiles)
  const client = [ours.pprof, ...(ours.otlp === undefined ? [] : [ours.otlp])].map(({ clientMillis }) =>
    millis(clientMillis),
  )
  const notes = [
    `On the same cores, the client used ${client.join(' and ')} of CPU per request to ${ours.name}.`,
    ...fewer.map(({ name, profiles }) => `${name} got ${profiles.toLocaleString('en')} profiles.`),
  ]
  return [...lines, '', notes.join(' ')].join('\n')
}

function lineOf(row: Row, ours: Figures, peers: readonly Figures[]): string {
  const { name, value, text, details, more = false } = row
  const show = (figures: Figures): string => {
    const found = value(figures)
    return found === undefined ? '–' : `${text(found)}${details?.(figures) ?? ''}`
  }
  const own = value(ours)
  const cells = peers.flatMap(peer => {
    const theirs = value(peer)
    if (own === undefined || theirs === undefined) return [show(peer), '–']
    return [show(peer), `${(more ? own / theirs : theirs / own).toFixed(1)}×`]
  })
  return `| ${[name, show(ours), goalOf(row, own), ...cells].join(' | ')} |`
}

function goalOf({ goal, text, more = false }: Row, own: number | undefined): string {
  if (goal === undefined || own === undefined) return '–'
  const isMet = more ? own >= goal : own <= goal
  return `${text(goal)}, ${isMet ? 'met' : 'missed'}`
}

function rowsOf(ours: Figures, requests: number): readonly Row[] {
  const otlp = `OTLP over HTTP, ${((ours.otlp?.bytes ?? 0) / 1000).toFixed(0)} kB`
  const rate = (value: number): string => Math.round(value).toLocaleString('en')
  const latency = (name: string, of: (figures: Figures) => Latency | undefined, goal: number): Row => ({
    name: `${name}, p50 (CPU)`,
    value: figures => of(figures)?.p50,
    text: millis,
    details: figures => {
      const { cpu = 0, share = 1 } = of(figures) ?? {}
      const part = share === 1 ? '' : `, ${(share * 100).toFixed(0)} % of the data`
      return ` (${millis(cpu)}${part})`
    },
    goal,
  })
  return [
    { name: 'pprof push, CPU per request', value: ({ pprof }) => pprof.cpuMillis, text: millis, goal: 0.8 },
    {
      name: 'pprof push, acknowledged per second',
      value: ({ pprof }) => pprof.perSecond,
      text: rate,
      goal: 1500,
      more: true,
    },
    { name: `${otlp}, CPU per request`, value: figures => figures.otlp?.cpuMillis, text: millis, goal: 0.6 },
    {
      name: `${otlp}, acknowledged per second`,
      value: figures => figures.otlp?.perSecond,
      text: rate,
      goal: 2500,
      more: true,
    },
    {
      name: `disk for ${requests.toLocaleString('en')} profiles`,
      value: ({ diskPerProfile }) => diskPerProfile * requests,
      text: megabytes,
      // For 10,000 profiles.
      goal: 1000 * requests,
    },
    { name: 'memory after the pushes', value: ({ memory }) => memory, text: megabytes },
    latency('flame graph of everything', ({ queries }) => queries.everything, 25),
    latency('flame graph of one service', ({ queries }) => queries.service, 8),
    latency('merged pprof of one service', ({ queries }) => queries.pprof, 18),
    latency('series of one service', ({ queries }) => queries.series, 5),
    latency('label values', ({ queries }) => queries['label values'], 3),
    latency('profile types', ({ queries }) => queries['profile types'], 1.4),
    { name: 'first flame graph after a restart', value: ({ first }) => first, text: millis, goal: 100 },
  ]
}

function millis(value: number): string {
  return `${value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0)} ms`
}

function megabytes(value: number): string {
  return `${(value / 1e6).toFixed(value < 1e7 ? 1 : 0)} MB`
}
