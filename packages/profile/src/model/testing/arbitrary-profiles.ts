// Arbitrary sets of profiles for property tests, with everything the model can hold, including 64-bit extremes and
// unusual strings. They are valid by the rules of the data format unless an option says otherwise. Names and locations
// come from small pools, so that samples, profiles and resources share content.
import fc from 'fast-check'
import type { AnyValue, Resource, Scope } from '../columns/any-value.ts'
import { ProfilesBuilder } from '../build/builder.ts'
import { MAX_INT64, MAX_UINT64, MIN_INT64 } from '../columns/int64.ts'
import type { Profiles } from '../columns/profiles.ts'
import type {
  AttributeSpec,
  FunctionSpec,
  LinkSpec,
  LocationSpec,
  MappingSpec,
  ProfileSpec,
  ProfilesSpec,
  ResourceSpec,
  SampleSpec,
  ScopeSpec,
} from './profiles-spec.ts'
import { buildProfiles, sampleIdentity } from './profiles-spec.ts'

type SampleShape = 'values' | 'timestamps' | 'both'

export interface ArbitraryOptions {
  /** The shapes of samples to draw. Each profile has one shape. Default: all three. */
  readonly shapes?: readonly SampleShape[]
  /** Whether attribute values may be arrays and key-value lists. */
  readonly nested?: boolean
  /** Whether attribute values may be bytes, doubles or empty. Some formats support only text and integers. */
  readonly oddValues?: boolean
  readonly links?: boolean
  readonly mappings?: boolean
  readonly columns?: boolean
  /** Profile ids, original payloads, dropped counts, schema URLs and entity references. */
  readonly extras?: boolean
  /** Strings beyond letters, digits and dots. */
  readonly unicode?: boolean
  /** Whether samples of one profile may have the same stack, link and attributes, which the data format forbids. */
  readonly repeats?: boolean
  readonly maxResources?: number
  readonly maxSamples?: number
}

/** Shrinks towards fewer and smaller parts. */
export function arbitraryProfiles(options: ArbitraryOptions = {}): fc.Arbitrary<Profiles> {
  return arbitrarySpec(options).map(buildProfiles)
}

/** The specifications that `arbitraryProfiles` builds, for tests that inspect or change them. */
export function arbitrarySpec(options: ArbitraryOptions = {}): fc.Arbitrary<ProfilesSpec> {
  return seldomEmpty(arbitraryResource(options), options.maxResources ?? 3)
}

const ALL_SHAPES: readonly SampleShape[] = ['values', 'timestamps', 'both']

const int64 = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt(0n, 1000n) },
  { weight: 2, arbitrary: fc.bigInt(MIN_INT64, MAX_INT64) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      0n,
      -1n,
      MIN_INT64,
      MAX_INT64,
      2n ** 53n + 1n,
      -(2n ** 53n) - 1n,
      2n ** 32n,
      -(2n ** 31n),
    ),
  },
)

const uint64 = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt(0n, 100_000n) },
  { weight: 1, arbitrary: fc.bigInt(0n, MAX_UINT64) },
  { weight: 1, arbitrary: fc.constantFrom(0n, MAX_UINT64, 2n ** 63n, 2n ** 32n - 1n, 2n ** 53n + 1n) },
)

const lineNumber = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt(0n, 300n) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 2n ** 31n, 2n ** 53n + 1n, MAX_INT64) },
)

const double = fc.oneof(fc.double(), fc.constantFrom(NaN, -0, Infinity, -Infinity, 5e-324, 0.1))

function bytes(maxLength: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ maxLength })
}

const plainText = fc.constantFrom('main', 'run', 'a.b', 'x', 'alloc', 'gc', 'io.read')

// Any code point except lone surrogates. (fast-check's own arbitrary takes two seconds to set up.)
const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10_ffff }),
)

const anyText = fc.oneof(
  { weight: 6, arbitrary: plainText },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'naïve',
      'Ω≈ç',
      '日本語',
      '🔥 flame',
      '\u{feff}bom',
      'a\u0000b',
      'e\u0301',
      '"quoted"; <b>',
    ),
  },
  { weight: 1, arbitrary: fc.array(codePoint, { maxLength: 20 }).map(codes => String.fromCodePoint(...codes)) },
)

function text({ unicode }: ArbitraryOptions): fc.Arbitrary<string> {
  return unicode === false ? plainText : anyText
}

function name(options: ArbitraryOptions): fc.Arbitrary<string> {
  return text(options).map(drawn => (drawn === '' ? 'f' : drawn))
}

/** Draws a value unless the option is false. */
function unlessOff<T>(enabled: boolean | undefined, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return enabled === false ? fc.constant(undefined) : fc.option(arbitrary, { nil: undefined })
}

/** Draws an array that is empty one time in ten. */
function seldomEmpty<T>(arbitrary: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> {
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant<T[]>([]) },
    { weight: 9, arbitrary: fc.array(arbitrary, { minLength: 1, maxLength }) },
  )
}

export function arbitraryValue(options: ArbitraryOptions = {}, depth = 2): fc.Arbitrary<AnyValue> {
  const choices: fc.WeightedArbitrary<AnyValue>[] = [
    { weight: 4, arbitrary: text(options) },
    { weight: 4, arbitrary: int64 },
  ]
  if (options.oddValues !== false) {
    choices.push({ weight: 1, arbitrary: fc.boolean() })
    choices.push({ weight: 2, arbitrary: double })
    choices.push({ weight: 1, arbitrary: bytes(20) })
    choices.push({ weight: 1, arbitrary: fc.constant(undefined) })
  }
  if (options.nested !== false && depth > 0) {
    const inner = arbitraryValue(options, depth - 1)
    const entries = fc.uniqueArray(fc.record({ key: name(options), value: inner }, { noNullPrototype: true }), {
      maxLength: 3,
      selector: e => e.key,
    })
    choices.push({ weight: 1, arbitrary: fc.array(inner, { maxLength: 3 }) })
    choices.push({ weight: 1, arbitrary: entries.map(list => ({ entries: list })) })
  }
  return fc.oneof(...choices)
}

function attributes(options: ArbitraryOptions, maxLength: number): fc.Arbitrary<AttributeSpec[]> {
  const attribute = fc.record({
    key: name(options),
    value: arbitraryValue(options),
    unit: fc.constantFrom('', '', 'bytes', 'ms'),
  })
  return fc.uniqueArray(attribute, { maxLength, selector: ({ key }) => key })
}

function arbitraryFunction(options: ArbitraryOptions): fc.Arbitrary<FunctionSpec> {
  return fc.record({
    name: name(options),
    systemName: fc.oneof(fc.constant(''), name(options)),
    filename: fc.oneof(fc.constant(''), name(options)),
    startLine: lineNumber,
  })
}

function arbitraryMapping(options: ArbitraryOptions): fc.Arbitrary<MappingSpec> {
  // Either no range or a nonempty one.
  const range = fc.oneof(
    fc.constant({ memoryStart: 0n, memoryLimit: 0n }),
    fc
      .tuple(uint64, uint64)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => (a < b ? { memoryStart: a, memoryLimit: b } : { memoryStart: b, memoryLimit: a })),
  )
  return fc
    .tuple(range, fc.record({ fileOffset: uint64, filename: text(options), attributes: attributes(options, 1) }))
    .map(([limits, rest]) => ({ ...limits, ...rest }))
}

function arbitraryLocation(options: ArbitraryOptions): fc.Arbitrary<LocationSpec> {
  const line = fc.record({
    function: arbitraryFunction(options),
    line: lineNumber,
    column: options.columns === false ? fc.constant(0n) : lineNumber,
  })
  return fc.record({
    mapping: unlessOff(options.mappings, arbitraryMapping(options)),
    address: uint64,
    lines: fc.array(line, { maxLength: 2 }),
    attributes: attributes(options, 1),
  })
}

function arbitraryLink(): fc.Arbitrary<LinkSpec> {
  // The first byte is not zero, because an id of zeros means "no id".
  const id = (length: number): fc.Arbitrary<Uint8Array> =>
    fc.uint8Array({ minLength: length, maxLength: length }).map(drawn => drawn.with(0, drawn[0] | 1))
  return fc.record({ traceId: id(16), spanId: id(8) })
}

/** The values that the samples of a profile are drawn from. */
interface Stock {
  readonly locations: readonly LocationSpec[]
  readonly links: readonly LinkSpec[]
  readonly attributes: readonly AttributeSpec[]
}

function arbitraryStock(options: ArbitraryOptions): fc.Arbitrary<Stock> {
  return fc.record({
    locations: fc.array(arbitraryLocation(options), { minLength: 1, maxLength: 4 }),
    links: options.links === false ? fc.constant([]) : fc.array(arbitraryLink(), { maxLength: 2 }),
    attributes: attributes(options, 3),
  })
}

function arbitraryProfile(options: ArbitraryOptions): fc.Arbitrary<ProfileSpec> {
  const header = fc.record({
    type: name(options),
    unit: fc.constantFrom('count', 'nanoseconds', 'bytes'),
    periodType: fc.constantFrom('', 'cpu'),
    periodUnit: fc.constantFrom('', 'nanoseconds'),
    period: fc.oneof(fc.constant(0n), fc.constant(10_000_000n), fc.bigInt(1n, MAX_INT64)),
    attributes: attributes(options, 2),
  })
  // A range with room for timestamps, anywhere in 64 bits.
  const range = fc.tuple(fc.bigInt(1n, MAX_UINT64 - 1_000_000n), fc.bigInt(1n, 1_000_000n))
  return fc
    .tuple(header, extras(options), range, arbitraryStock(options), fc.constantFrom(...(options.shapes ?? ALL_SHAPES)))
    .chain(([columns, extra, [time, duration], stock, shape]) =>
      seldomEmpty(arbitrarySample(stock, shape, time, duration), options.maxSamples ?? 6).map(samples => ({
        ...columns,
        ...extra,
        timeUnixNano: time,
        durationNano: duration,
        samples: options.repeats === true ? samples : withoutRepeats(samples),
      })),
    )
}

function extras(options: ArbitraryOptions): fc.Arbitrary<Partial<ProfileSpec>> {
  if (options.extras === false) return fc.constant({})
  const some = fc.record(
    {
      id: fc.uint8Array({ minLength: 16, maxLength: 16 }),
      droppedAttributesCount: fc.constantFrom(0, 1, 7, 0xffff_ffff),
      payload: fc.record({
        originalPayloadFormat: fc.constantFrom('pprof', 'jfr', 'linux_perf'),
        originalPayload: fc.uint8Array({ minLength: 1, maxLength: 50 }),
      }),
    },
    { requiredKeys: [] },
  )
  return some.map(({ payload, ...rest }) => ({ ...rest, ...payload }))
}

function arbitrarySample(stock: Stock, shape: SampleShape, time: bigint, duration: bigint): fc.Arbitrary<SampleSpec> {
  const timestamp = fc.bigInt(time, time + duration - 1n)
  const identity = fc.record({
    stack: fc.array(fc.constantFrom(...stock.locations), { maxLength: 5 }),
    link:
      stock.links.length === 0
        ? fc.constant(undefined)
        : fc.option(fc.constantFrom(...stock.links), { nil: undefined }),
    attributes: fc.subarray([...stock.attributes]),
  })
  const observations: fc.Arbitrary<Partial<SampleSpec>> =
    shape === 'values'
      ? int64.map(value => ({ values: [value] }))
      : shape === 'timestamps'
        ? fc.array(timestamp, { minLength: 1, maxLength: 4 }).map(timestamps => ({ timestamps }))
        : fc.array(fc.tuple(int64, timestamp), { minLength: 1, maxLength: 4 }).map(pairs => ({
            values: pairs.map(([value]) => value),
            timestamps: pairs.map(([, at]) => at),
          }))
  return fc.tuple(identity, observations).map(([who, what]) => ({ ...who, ...what }))
}

/** Keeps the first of several samples with the same stack, link and attributes. */
function withoutRepeats(samples: readonly SampleSpec[]): SampleSpec[] {
  const builder = new ProfilesBuilder()
  const seen = new Set<string>()
  return samples.filter(sample => {
    const identity = sampleIdentity(builder, sample)
    return !seen.has(identity) && seen.add(identity)
  })
}

function arbitraryScope(options: ArbitraryOptions): fc.Arbitrary<ScopeSpec> {
  const scope: fc.Arbitrary<Scope> = fc.record({
    name: text(options),
    version: fc.constantFrom('', '1.0', '2.1.0-rc'),
    attributes: attributes(options, 2),
    droppedAttributesCount: fc.constantFrom(0, 0, 3, 0xffff_ffff),
  })
  return fc.record({
    scope: options.extras === false ? scope.map(drawn => ({ ...drawn, droppedAttributesCount: 0 })) : scope,
    schemaUrl: schemaUrl(options),
    profiles: seldomEmpty(arbitraryProfile(options), 2),
  })
}

function arbitraryResource(options: ArbitraryOptions): fc.Arbitrary<ResourceSpec> {
  const entityRef = fc.record({
    schemaUrl: schemaUrl(options),
    type: fc.constantFrom('service', 'host'),
    idKeys: fc.array(name(options), { maxLength: 2 }),
    descriptionKeys: fc.array(name(options), { maxLength: 2 }),
  })
  const drawn: fc.Arbitrary<Resource> = fc.record({
    attributes: attributes(options, 3),
    droppedAttributesCount: options.extras === false ? fc.constant(0) : fc.constantFrom(0, 0, 5, 0xffff_ffff),
    entityRefs: options.extras === false ? fc.constant([]) : fc.array(entityRef, { maxLength: 2 }),
  })
  const usual: Resource = {
    attributes: [{ key: 'service.name', value: 'checkout' }],
    droppedAttributesCount: 0,
    entityRefs: [],
  }
  return fc.record({
    // Draws the usual resource often, so that equal resources occur.
    resource: fc.oneof(drawn, fc.constant(usual)),
    schemaUrl: schemaUrl(options),
    scopes: seldomEmpty(arbitraryScope(options), 2),
  })
}

function schemaUrl(options: ArbitraryOptions): fc.Arbitrary<string> {
  return options.extras === false
    ? fc.constant('')
    : fc.constantFrom('', 'https://opentelemetry.io/schemas/1.37.0', 'https://example.com/ünïcode')
}
