// Tests for the basic parts: integers, the clock, keys, names, settings.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { highHalf, int64, lowHalf } from '../../model/columns/int64.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { mayBeGenerated, stableClassName } from './samples/class-name.ts'
import { JfrClock } from './encoding/clock.ts'
import { Cursor } from './encoding/cursor.ts'
import { JfrFrameTable } from './samples/frame-table.ts'
import { KeyIndex } from './encoding/key-index.ts'
import { Settings } from './samples/settings.ts'
import { ShortFrames } from './samples/short-frames.ts'
import { Sink } from './testing/chunk-writer.ts'

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
/** Numbers near the limits of 1, 2, … 9 bytes, where decoders tend to fail. */
const edge = fc
  .tuple(fc.integer({ min: 0, max: 64 }), fc.integer({ min: -2, max: 2 }))
  .map(([bits, off]) => BigInt.asUintN(64, 2n ** BigInt(bits) + BigInt(off)))

describe('integers', () => {
  test('are decoded one by one, in a sequence, and skipped correctly', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(uint64, edge), { maxLength: 20 }), values => {
        const sink = new Sink().longs(...values)
        const bytes = Uint8Array.from(sink.bytes)
        const one = new Cursor(bytes, 0)
        for (const value of values) {
          one.long()
          expect(one.unsigned()).toBe(value)
        }
        expect(one.pos).toBe(bytes.length)
        const run = new Cursor(bytes, 0)
        const target = new Int32Array(2 * values.length)
        run.longs(
          target,
          Int32Array.from(values, (_, i) => 2 * i),
          0,
          values.length,
        )
        expect(Array.from(values, (_, i) => BigInt.asUintN(64, int64(target[2 * i], target[2 * i + 1])))).toEqual(
          values,
        )
        expect(run.pos).toBe(bytes.length)
        const skipped = new Cursor(bytes, 0)
        skipped.skipLongs(values.length)
        expect(skipped.pos).toBe(bytes.length)
      }),
    )
  })

  test('are skipped up to a given one, whatever follows', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(uint64, edge), { maxLength: 40 }), fc.nat(40), (values, count) => {
        const left = values.slice(0, count)
        const { bytes } = new Sink().longs(...values)
        const cursor = new Cursor(Uint8Array.from(bytes), 0)
        cursor.skipLongs(left.length)
        expect(cursor.pos).toBe(new Sink().longs(...left).bytes.length)
      }),
      { numRuns: 500 },
    )
  })

  test('that are truncated cause errors', () => {
    fc.assert(
      fc.property(fc.oneof(uint64, edge), fc.nat(8), (value, cut) => {
        const { bytes } = new Sink().long(value)
        const short = Uint8Array.from(bytes.slice(0, Math.min(cut, bytes.length - 1)))
        const target = new Int32Array(2)
        expect(() => new Cursor(short, 0).long()).toThrow(/exceeds the end/)
        expect(() => new Cursor(short, 0).longs(target, new Int32Array(1), 0, 1)).toThrow(/exceeds the end/)
        expect(() => new Cursor(short, 0).skipLongs(1)).toThrow(/exceeds the end/)
      }),
    )
  })
})

describe('clock', () => {
  const ticks = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const near = fc.bigInt({ min: -(10n ** 13n), max: 10n ** 16n })
  const rate = fc.oneof(
    fc.constantFrom(1n, 1_000_000_000n, 2_799_998_858n, 2n ** 37n, 2n ** 37n + 1n, 2n ** 62n),
    fc.bigInt({ min: 1n, max: 10n ** 10n }),
  )

  function floorDivide(a: bigint, b: bigint): bigint {
    const quotient = a / b
    return quotient * b > a ? quotient - 1n : quotient
  }

  test('is exact', () => {
    fc.assert(
      fc.property(ticks, fc.oneof(near, ticks), rate, ticks, (start, passed, perSecond, startNanos) => {
        const clock = new JfrClock(startNanos, start, perSecond)
        const now = BigInt.asIntN(64, start + passed)
        clock.time(lowHalf(now), highHalf(now))
        const nanos = startNanos + floorDivide((now - start) * 1_000_000_000n, perSecond)
        expect(int64(clock.lo, clock.hi)).toBe(BigInt.asIntN(64, nanos))
        clock.span(lowHalf(passed), highHalf(passed))
        const span = floorDivide(passed * 1_000_000_000n, perSecond)
        expect(int64(clock.lo, clock.hi)).toBe(BigInt.asIntN(64, span))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('tables', () => {
  const low = (max: bigint): fc.Arbitrary<bigint> => fc.bigInt({ min: 0n, max })

  test('KeyIndex numbers keys in insertion order', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(uint64, low(50n), low(4_000n)), { maxLength: 300 }), keys => {
        const index = new KeyIndex()
        const expected = [...new Set(keys)]
        for (const key of keys) expect(index.add(lowHalf(key), highHalf(key))).toBe(expected.indexOf(key))
        for (const key of keys) expect(index.find(lowHalf(key), highHalf(key))).toBe(expected.indexOf(key))
        expect(index.find(lowHalf(2n ** 63n - 7n), highHalf(2n ** 63n - 7n))).toBe(expected.indexOf(2n ** 63n - 7n))
      }),
    )
  })

  test('ShortFrames distinguishes short frames by their bytes and stops at longer ones', () => {
    const integer = fc.oneof(low(3n), low(300n), edge)
    const frame = fc.array(integer, { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 200 }), frames => {
        // Each frame occurs twice, so that the second one is found, with padding after the last one.
        const all = [...frames, ...frames]
        const bytes = Uint8Array.from([...new Sink().longs(...all.flat()).bytes, ...new Array<number>(12).fill(0x80)])
        const cursor = new Cursor(bytes, 0)
        const table = ShortFrames.of(bytes, 4)!
        const names = [...new Set(all.map(String))]
        const found = new Int32Array(all.length)
        for (let i = 0; i < all.length;) {
          i = table.take(cursor, found, i, all.length)
          if (i === all.length) break
          const from = cursor.pos
          cursor.skipLongs(4)
          const isShort = cursor.pos - from <= 12 && all[i].every(value => value < 2n ** 56n)
          expect(table.stoppedAtNew).toBe(isShort && all.findIndex(one => String(one) === String(all[i])) === i)
          found[i] = names.indexOf(String(all[i]))
          if (table.stoppedAtNew) table.add(from, found[i])
          i++
        }
        expect(Array.from(found)).toEqual(all.map(one => names.indexOf(String(one))))
        expect(cursor.pos).toBe(bytes.length - 12)
      }),
    )
  })

  test('ShortFrames does not support frames without or with too many integers', () => {
    expect([-1, 0, 9].map(integers => ShortFrames.of(new Uint8Array(20), integers))).toEqual(
      new Array(3).fill(undefined),
    )
  })

  test('FrameTable distinguishes frames by all their fields', () => {
    const int = fc.oneof(fc.constantFrom(0, 1, -1, 65_535, 65_536), fc.integer())
    fc.assert(
      fc.property(fc.array(fc.array(int, { minLength: 6, maxLength: 6 }), { maxLength: 300 }), frames => {
        const table = new JfrFrameTable()
        const seen = new Map<string, number>()
        for (const [method, methodHi, line, bytecode, type, typeHi] of frames) {
          const frame = Int32Array.of(method, methodHi, line, 0, bytecode, 0, type, typeHi)
          const slot = table.find(frame)
          expect(table.location(slot)).toBe(seen.get(frame.join()) ?? -1)
          if (seen.has(frame.join())) continue
          table.set(slot, frame, seen.size)
          seen.set(frame.join(), seen.size)
        }
      }),
    )
  })
})

describe('class names', () => {
  test.each([
    ['org/acme/A$$Lambda$12/0x0000000800c03000', 'org/acme/A$$Lambda_'],
    ['org/acme/A$$Lambda$28.400136488', 'org/acme/A$$Lambda_'],
    ['org/acme/A$$Lambda.0x00007ffa600c4da0', 'org/acme/A$$Lambda_'],
    ['jdk/internal/reflect/GeneratedMethodAccessor31', 'jdk/internal/reflect/GeneratedMethodAccessor_'],
    ['libzstd-jni-1.5.1-16931311898282279136.so', 'libzstd-jni-_.so'],
    ['./tmp/libamazonCorrettoCryptoProvider109b39cf33c563eb.so (deleted)', 'libamazonCorrettoCryptoProvider_.so'],
    ['org/acme/A$Lambda', undefined],
    ['libjvm.so', undefined],
    ['java/lang/String', undefined],
  ])('%s', (name, stable) => {
    expect(stableClassName(name)).toBe(stable)
    const bytes = encodeUtf8(name)
    if (stable !== undefined) expect(mayBeGenerated(bytes, 0, bytes.length)).toBe(true)
  })
})

describe('settings', () => {
  test('parse durations of the JDK', () => {
    const periodOf = (value: string): string => {
      const settings = new Settings()
      settings.set('jdk.ExecutionSample', 'period', value)
      const { period, unit } = settings.samplingOf('jdk.ExecutionSample')
      return `${period} ${unit}`
    }
    expect(periodOf('20 ms')).toBe('20000000 nanoseconds')
    expect(periodOf('1 s')).toBe('1000000000 nanoseconds')
    expect(periodOf('500 us')).toBe('500000 nanoseconds')
    expect(periodOf('everyChunk')).toBe('0 count')
    expect(periodOf('999999999999999 d')).toBe('0 count')
  })

  test('settings of one event do not apply to another', () => {
    const settings = new Settings()
    settings.set('jdk.NativeMethodSample', 'period', '20 ms')
    expect(settings.samplingOf('jdk.ExecutionSample').period).toBe(0n)
  })
})
