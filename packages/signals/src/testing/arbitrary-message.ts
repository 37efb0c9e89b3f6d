// Random messages of any type, made from its table of fields.
import fc from 'fast-check'
import { ANY_VALUE, KEY_VALUE } from '../otlp/common.ts'
import type { AnyValue, KeyValue } from '../otlp/common.ts'
import type { Field } from '../protobuf/field.ts'
import type { Message } from '../protobuf/field.ts'

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.string({ unit: 'binary', maxLength: 80 }))
const bytes = fc.uint8Array({ maxLength: 20 })
const int64 = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -300n, max: 300n }))
const uint64 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 300n }))
const uint32 = fc.integer({ min: 0, max: 0xffffffff })
const int32 = fc.integer()

const scalars: Readonly<Record<Exclude<Field['type'], 'message'>, fc.Arbitrary<unknown>>> = {
  double: fc.double(),
  int64,
  uint64,
  int32,
  fixed64: uint64,
  fixed32: uint32,
  bool: fc.boolean(),
  string: text,
  bytes,
  uint32,
  enum: fc.integer({ min: 0, max: 30 }),
  sfixed64: int64,
  sint32: int32,
}

const { value: anyValue, keyValue } = fc.letrec<{ value: AnyValue; keyValue: KeyValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
    fc.constant(undefined),
    text,
    fc.boolean(),
    int64,
    fc.double(),
    bytes,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(tie('keyValue'), { maxLength: 3 }).map(entries => ({ entries })),
  ),
  keyValue: fc.record({ key: text, value: tie('value') }),
}))

/** Messages whose content is not an object of their fields. */
export type Special = ReadonlyMap<Message, fc.Arbitrary<unknown>>

const ATTRIBUTES: Special = new Map<Message, fc.Arbitrary<unknown>>([
  [KEY_VALUE as Message, keyValue],
  [ANY_VALUE as Message, anyValue],
])

export function arbitraryMessage<T>(message: Message<T>, special: Special = new Map()): fc.Arbitrary<T> {
  const byKey = new Map([...ATTRIBUTES, ...special].map(([each, content]) => [keyOf(each), content]))
  return untyped(message as Message, 0, byKey) as fc.Arbitrary<T>
}

/** Equal for a message of the sources and of the build. Attributes of profiles have the same name, but no ignored fields. */
function keyOf({ name, fields }: Message): string {
  return `${name} ${Object.values(fields).some(({ isIgnored }) => isIgnored)}`
}

type ByKey = ReadonlyMap<string, fc.Arbitrary<unknown>>

function untyped(message: Message, depth: number, special: ByKey): fc.Arbitrary<unknown> {
  const known = special.get(keyOf(message))
  if (known !== undefined) return known
  const entries = Object.entries(message.fields)
  const record = fc.record(Object.fromEntries(entries.map(([name, field]) => [name, valueOf(field, depth, special)])))
  return fc.tuple(record, fc.nat()).map(([content, choice]) => withOneOfEach(content, entries, choice))
}

function valueOf(field: Field, depth: number, special: ByKey): fc.Arbitrary<unknown> {
  const item = field.message === undefined ? scalars[field.type as keyof typeof scalars] : undefined
  if (item === undefined && depth > 7) return fc.constant(field.initial)
  const one = item ?? untyped(field.message!(), depth + 1, special)
  if (field.label === 'repeated') return fc.array(one, { maxLength: 2 })
  if (field.label === 'map') return fc.dictionary(text, one, { maxKeys: 3, noNullPrototype: false })
  const mayBeAbsent = field.initial === undefined
  return mayBeAbsent ? fc.oneof({ arbitrary: one, weight: 3 }, fc.constant(undefined)) : one
}

/** Keeps one field of each oneof. */
function withOneOfEach(
  content: Readonly<Record<string, unknown>>,
  entries: readonly (readonly [string, Field])[],
  choice: number,
): Readonly<Record<string, unknown>> {
  const result = { ...content }
  for (const oneOf of new Set(entries.map(([, field]) => field.oneOf))) {
    if (oneOf === undefined) continue
    const rivals = entries.filter(([, field]) => field.oneOf === oneOf).map(([name]) => name)
    rivals.forEach((name, i) => {
      if (i !== choice % rivals.length) result[name] = undefined
    })
  }
  return result
}
