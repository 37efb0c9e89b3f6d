// The measured payloads, made from a fixed seed so that every run and every machine has the same bytes. Sizes and shapes
// follow real ones: ten seconds of a Go service, a report of an eBPF agent, an aggregated day.
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'

export interface Input {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A small generator with good randomness (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

interface ServiceShape {
  readonly seed: number
  readonly types: readonly (readonly [string, string])[]
  readonly samples: number
  readonly functions: number
  readonly depth: number
  readonly labelSets: number
  /** Number of the service. Profiles of one service share their functions and most of their stacks. */
  readonly service?: number
  /** Whether each sample has a timestamp. */
  readonly timestamps?: boolean
  /** Whether labels and times of a stack's sample are equal in every type, as in a pprof sample with several values. */
  readonly joined?: boolean
  /** The share of frames that a stack has in common with the previous one, from the root. Without it stacks are random. */
  readonly sharedFrames?: number
  /** Whether names are random, so that they compress like those of real programs. */
  readonly variedNames?: boolean
}

const START = 1_700_000_000_000_000_000n

/** Aggregated profiles as Go services send them: one value per sample, several types, labels. */
export function serviceProfile(shape: ServiceShape): Profiles {
  const random = randomFrom(shape.seed)
  const names = randomFrom(1000 + (shape.service ?? 0))
  const b = new ProfilesBuilder()
  b.resource({
    attributes: [
      { key: 'service.name', value: `service-${shape.service ?? 0}` },
      { key: 'host.name', value: 'node-7' },
    ],
  })
  b.scope({ name: 'bench', version: '1.0.0' })
  const mapping = b.mapping({
    memoryStart: 0x400000n,
    memoryLimit: 0x1f00000n,
    filename: '/usr/local/bin/service',
    attributes: [b.attribute('process.executable.build_id.gnu', 'a1b2c3d4e5f60718')],
  })
  const locations = Array.from({ length: Math.ceil(shape.functions * 1.3) }, (_, i) => {
    const k = i % shape.functions
    const name =
      shape.variedNames === true
        ? `github.com/${randomHex(names, 6)}/${randomHex(names, 7)}.(*${randomHex(names, 5)}).${randomHex(names, 8)}`
        : `github.com/example/service/internal/package${k % 97}.(*Type${k % 31}).Method${k}`
    const fn = b.function({
      name,
      systemName: name,
      filename: `/go/src/github.com/example/service/internal/package${k % 97}/file${k % 11}.go`,
      startLine: 10 + (k % 900),
    })
    return b.location({
      mapping,
      address: BigInt(0x400000 + Math.floor(names() * 0x1a00000)),
      lines: [{ function: fn, line: 12 + Math.floor(names() * 2000) }],
    })
  })
  let previous: readonly (typeof locations)[number][] = []
  const stacks = Array.from({ length: shape.samples }, (_, i) => {
    const own = randomFrom(i * 7919 + (shape.service ?? 0) + (i % 10 < 7 ? 0 : shape.seed * 31))
    const depth = Math.max(2, Math.round(shape.depth * (0.4 + 1.2 * own())))
    const shared = previous.slice(Math.ceil(previous.length * (1 - (shape.sharedFrames ?? 0))))
    // Skewed like real ones: a few functions are in most stacks.
    const drawn = Array.from(
      { length: Math.max(1, depth - shared.length) },
      (_, d) => locations[Math.floor(locations.length * own() ** (d > depth / 2 ? 4 : 1.5))],
    )
    previous = [...drawn, ...shared]
    return b.stack(previous)
  })
  const labels = Array.from({ length: shape.labelSets }, (_, i) => [
    b.attribute('thread.id', BigInt(1000 + i)),
    b.attribute('thread.name', `worker-${i % 16}`),
  ])
  for (const [type, unit] of shape.types) {
    b.profile({
      type,
      unit,
      periodType: 'cpu',
      periodUnit: 'nanoseconds',
      period: 10_000_000,
      timeUnixNano: START,
      durationNano: 10_000_000_000n,
    })
    const drawn = shape.joined === true ? randomFrom(shape.seed + 500) : random
    for (let i = 0; i < shape.samples; i++) {
      const value = unit === 'count' ? 1 + Math.floor(random() * 40) : 10_000_000 * (1 + Math.floor(random() * 40))
      b.sample({
        stack: stacks[i],
        values: [value],
        ...(shape.timestamps === true ? { timestamps: [START + BigInt(Math.floor(drawn() * 1e10))] } : {}),
        attributes: shape.labelSets === 0 ? [] : labels[Math.floor(drawn() * labels.length)],
      })
    }
  }
  return b.build()
}

/** Timestamped samples without values over many containers, as the eBPF profiler sends them. */
function hostProfile(seed: number, resources: number, samples: number, timestamps: number): Profiles {
  const random = randomFrom(seed)
  const b = new ProfilesBuilder()
  const start = START
  const locations = Array.from({ length: samples * 3 }, (_, i) => {
    const kernel = random() < 0.4
    const mapping = b.mapping({
      filename: `lib${i % 40}.so`,
      attributes: [b.attribute('process.executable.build_id.htlhash', (i % 40).toString(16).padStart(32, '7'))],
    })
    const lines = kernel ? [{ function: b.function({ name: `kernel_function_${Math.floor(random() * 900)}` }) }] : []
    return b.location({
      mapping,
      address: BigInt(Math.floor(random() * 2 ** 36)),
      lines,
      attributes: [b.attribute('profile.frame.type', kernel ? 'kernel' : 'native')],
    })
  })
  for (let r = 0; r < resources; r++) {
    b.resource({
      attributes: [
        { key: 'container.id', value: randomHex(random, 64) },
        { key: 'process.pid', value: BigInt(1000 + r) },
        { key: 'process.executable.name', value: `process-${r}` },
        { key: 'process.executable.path', value: `/usr/bin/process-${r}` },
      ],
    })
    b.scope({ name: 'ebpf-profiler', version: 'v0.1' })
    b.profile({
      type: 'samples',
      unit: 'count',
      periodType: 'cpu',
      periodUnit: 'nanoseconds',
      period: 52_631_578,
      timeUnixNano: start,
      durationNano: 5_000_000_000n,
    })
    for (let i = 0; i < Math.ceil(samples / resources); i++) {
      const stack = b.stack(
        Array.from(
          { length: 4 + Math.floor(random() * 20) },
          () => locations[Math.floor(locations.length * random() ** 2)],
        ),
      )
      const times = Array.from(
        { length: Math.max(1, Math.round((timestamps / samples) * 2 * random())) },
        () => start + BigInt(Math.floor(random() * 5e9)),
      )
      b.sample({
        stack,
        timestamps: times,
        attributes: [
          b.attribute('thread.name', `thread-${Math.floor(random() * 30)}`),
          b.attribute('thread.id', BigInt(Math.floor(random() * 4000))),
        ],
      })
    }
  }
  return b.build()
}

function randomHex(random: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('')
}

const CPU_TYPES = [
  ['samples', 'count'],
  ['cpu', 'nanoseconds'],
] as const

const DAY = { seed: 5, types: CPU_TYPES, samples: 20_430, functions: 18_000, depth: 24, labelSets: 27 }
const AVERAGE = { types: CPU_TYPES, samples: 34, functions: 60, depth: 10, labelSets: 1 }

/** Ten seconds of one service. `seed` varies the values and a third of the stacks. */
export function averageProfile(seed: number, service = 0): Profiles {
  return serviceProfile({ ...AVERAGE, seed, service })
}

/** The shapes whose sizes OTEP 0239 lists. Its four profiles are not public; these are similar. */
export function sizeInputs(): Input[] {
  return [
    input('average', serviceProfile({ ...AVERAGE, seed: 1, joined: true })),
    input('average, a timestamp each', serviceProfile({ ...AVERAGE, seed: 1, timestamps: true, joined: true })),
    input(
      'deep stacks',
      serviceProfile({
        seed: 7,
        types: CPU_TYPES,
        samples: 3000,
        functions: 2500,
        depth: 170,
        labelSets: 1,
        joined: true,
      }),
    ),
    input('day, 27 label sets', serviceProfile({ ...DAY, joined: true })),
    input('host, 77 containers', hostProfile(3, 77, 317, 5321)),
  ]
}

export interface DraftInput {
  readonly name: string
  /** How many times smaller gzip makes the document's pprof file. */
  readonly document: string
  readonly profiles: Profiles
}

/** The shapes of the arrays draft's size table, with fewer samples, and as compressible as its profiles. */
export function draftInputs(): DraftInput[] {
  const average = { ...AVERAGE, seed: 1, joined: true, variedNames: true, sharedFrames: 0.5 }
  const deep = { seed: 7, types: CPU_TYPES, samples: 160, functions: 50, depth: 300, labelSets: 1, joined: true }
  const large = { ...DAY, samples: 600, functions: 600, labelSets: 163, joined: true, sharedFrames: 0.55 }
  return [
    { name: 'average', document: '2.1', profiles: serviceProfile(average) },
    { name: 'average, a timestamp each', document: '2.5', profiles: serviceProfile({ ...average, timestamps: true }) },
    { name: 'deep stacks', document: '16.2', profiles: serviceProfile({ ...deep, sharedFrames: 0.995 }) },
    { name: 'large', document: '3.6', profiles: serviceProfile(large) },
  ]
}

const input = (name: string, profiles: Profiles): Input => ({ name, bytes: encodeOtlp(profiles) })

export function largeInput(): Input {
  return input(
    'large',
    serviceProfile({ seed: 6, types: CPU_TYPES, samples: 120_000, functions: 45_000, depth: 35, labelSets: 160 }),
  )
}

export function benchInputs(): Input[] {
  return [
    input('service', averageProfile(1)),
    input('host, 8 containers', hostProfile(2, 8, 80, 900)),
    input('host, 77 containers', hostProfile(3, 77, 317, 5321)),
    input(
      'heap, 4 types',
      serviceProfile({
        seed: 4,
        types: [
          ['alloc_objects', 'count'],
          ['alloc_space', 'bytes'],
          ['inuse_objects', 'count'],
          ['inuse_space', 'bytes'],
        ],
        samples: 9000,
        functions: 4000,
        depth: 14,
        labelSets: 0,
      }),
    ),
    input('day', serviceProfile(DAY)),
    largeInput(),
  ]
}
