import { describe, expect, test } from 'vitest'
import type { LinkIndex, LocationIndex } from '../../model/columns/brand.ts'
import { difference } from '../../model/compare/content-equal.ts'
import { FormatError } from '../format.ts'
import { readProfile } from '../read-profile.ts'
import { detectJfr } from './detect.ts'
import { readJfr } from './read.ts'
import { ChunkWriter, joined } from './testing/chunk-writer.ts'
import { fixture, fixtures, labelsSnapshot } from './testing/fixtures.ts'
import {
  STACK,
  STATE,
  THREAD,
  addConstants,
  addExecution,
  addSetting,
  sampleChunk,
  sampleClasses,
} from './testing/sample-chunks.ts'
import { START, showAttributes, showProfiles, showSamples } from './testing/show.ts'
import { typesOf } from './testing/folded-lines.ts'

const FIB = 'org/acme/App$$Lambda_.run:0;org/acme/Fib.fib:12'
const WAIT = 'libc.so.6.pthread_cond_wait:0'
const WHO = ['thread.name', 'thread.state']

function codes(notes: readonly { readonly code: string; readonly count: number }[]): string[] {
  return notes.map(({ code, count }) => `${code} ${count}`)
}

describe('samples of the JDK', () => {
  const { profiles, notes, generation } = readJfr(fixture('samples of the JDK'))
  const { dictionary } = profiles

  test('become a profile in nanoseconds with the period of the settings', () => {
    expect(showProfiles(profiles)).toEqual(['cpu nanoseconds cpu nanoseconds 20000000'])
    expect(profiles.profiles.time(0)).toBe(START)
    expect(profiles.profiles.duration(0)).toBe(1_000_000_000n)
    expect(showAttributes(dictionary, profiles.profiles.attributesOf(0))).toBe('jfr.event=jdk.ExecutionSample')
    expect(generation).toBe('2.1')
  })

  test('have the time of each observation, the thread and its state', () => {
    const main =
      'jfr.thread.os_id=4711 jfr.thread.virtual=true thread.id=1 thread.name=main thread.state=STATE_RUNNABLE'
    expect(showSamples(profiles, 'cpu')).toEqual([
      `${FIB} {${main}} 20000000@500 20000000@20500`,
      `${WAIT} {jfr.stack.truncated=true thread.id=1099511627776 thread.name=GC Thread#0 thread.state=STATE_RUNNABLE} 20000000@30500`,
      ` {${main}} 20000000@40500`,
    ])
  })

  test('have frames with their runtime, frame type and bytecode index', () => {
    const { locations, functions, strings } = dictionary
    const frames = Array.from({ length: locations.length - 1 }, (_, i) => {
      const function_ = locations.lines.function(locations.linesFrom((i + 1) as LocationIndex))
      const attributes = showAttributes(dictionary, locations.attributesOf((i + 1) as LocationIndex))
      return `${strings.text(functions.systemName(function_))} {${attributes}}`
    })
    expect(frames).toEqual([
      'org/acme/Fib.fib(I)I {jfr.frame.bytecode_index=3 jfr.frame.type=JIT compiled profile.frame.type=jvm}',
      'org/acme/App$$Lambda$12/0x0000000800c03000.run(I)I {jfr.frame.bytecode_index=0 jfr.frame.type=Interpreted profile.frame.type=jvm}',
      ' {jfr.frame.type=Native profile.frame.type=native}',
    ])
  })

  test('have the process as resource, and a note counts skipped events', () => {
    expect(profiles.resources.resource(0).attributes).toEqual([
      { key: 'process.pid', value: 42n },
      { key: 'process.runtime.name', value: 'OpenJDK' },
    ])
    expect(notes).toEqual([
      { code: 'events-left-out', count: 1, message: 'skipped events that are not samples: 1 jdk.CPULoad' },
    ])
  })
})

describe('the metadata defines the layout', () => {
  test('events may have fields in another order, strings in every encoding, 64-bit keys, and times before the start', () => {
    const { profiles } = readJfr(fixture('fields in another order, all encodings of strings'))
    expect(showSamples(profiles, 'cpu', WHO)).toEqual([
      'org/acme/日😀.café:44 {thread.name=worker thread.state=STATE_RUNNABLE} @41 @-1',
    ])
    expect(showSamples(profiles, 'mutex_delay', ['jfr.monitor_class'])).toEqual([
      'org/acme/日😀.café:44 {jfr.monitor_class=org/acme/日😀} 1000000047@1000000047',
    ])
    expect(profiles.profiles.time(0)).toBe(START - 1n)
  })

  test('metadata applies to its own chunk, settings also to the following chunks', () => {
    const { profiles } = readJfr(fixture('two chunks with different layouts'))
    expect(showProfiles(profiles).slice(0, 1)).toEqual(['cpu nanoseconds cpu nanoseconds 20000000'])
    expect(showSamples(profiles, 'cpu', []).map(line => line.replace(/ \{.*/, ''))).toEqual([
      FIB,
      WAIT,
      '',
      'org/acme/日😀.café:44',
    ])
  })

  test('and a changed period starts another profile', () => {
    const chunk = (period: string): Uint8Array => {
      const writer = addSetting(sampleChunk(), 'jdk.ExecutionSample', 'period', period)
      return addConstants(addExecution(writer, 1_500, THREAD.main, STACK.fib, STATE.runnable)).bytes()
    }
    const { profiles } = readJfr(joined(chunk('10 ms'), chunk('20 ms'), chunk('10 ms')))
    expect(showProfiles(profiles)).toEqual([
      'cpu nanoseconds cpu nanoseconds 10000000',
      'cpu nanoseconds cpu nanoseconds 20000000',
    ])
    expect(profiles.profiles.samplesTo(0)).toBe(1)
    expect(profiles.samples.total(0)).toBe(20_000_000n)
  })

  test('and class names that match properties of JavaScript objects are ordinary names', () => {
    const classes = [...sampleClasses(), { name: 'constructor', id: 7_000n, fields: [] }]
    const writer = new ChunkWriter(classes)
      .constants({ constructor: [[1, () => {}] as const], FrameType: [[9, s => s.text('toString')]] })
      .constants({ StackTrace: [[5, s => s.byte(0).long(1).long(9).int(1).int(1).int(9)]] })
      .event('jdk.ExecutionSample', sink => sink.longs(1_500, 0, 5, 0))
    const { profiles } = readJfr(addConstants(writer).bytes())
    expect(showSamples(profiles, 'cpu')).toEqual(['org/acme/Fib.fib:1 {} @500'])
    expect(showAttributes(profiles.dictionary, profiles.dictionary.locations.attributesOf(1 as LocationIndex))).toBe(
      'jfr.frame.bytecode_index=1 jfr.frame.type=toString',
    )
  })

  test('and missing constants are not an error', () => {
    const { profiles, notes } = readJfr(fixture('missing constants and descriptions'))
    expect(showSamples(profiles, 'cpu')).toEqual([' {} @500', '[unknown]:1 {} @600'])
    expect(codes(notes)).toEqual(['stacks-missing 1', 'methods-missing 1', 'events-left-out 1'])
  })
})

describe('async-profiler recordings', () => {
  function times(name: string, type: string): string[] {
    return showSamples(readJfr(fixture(name)).profiles, type, ['thread.state']).map(line => line.replace(/^.*\{/, '{'))
  }

  test('samples of the CPU have a period of 10 ms by default', () => {
    const name = 'async-profiler: CPU'
    const { profiles } = readJfr(fixture(name))
    expect(showProfiles(profiles)).toEqual([
      'cpu nanoseconds cpu nanoseconds 10000000',
      'wall nanoseconds wall nanoseconds 50000000',
    ])
    expect(times(name, 'cpu')).toHaveLength(3)
    expect(profiles.scopes.scope(0)).toMatchObject({ name: 'async-profiler', version: '3.0' })
  })

  test('samples of the wall clock also yield a CPU profile of the threads that are awake', () => {
    const { profiles } = readJfr(fixture('async-profiler: wall clock'))
    expect(showProfiles(profiles)).toEqual([
      'cpu nanoseconds cpu nanoseconds 5000000',
      'wall nanoseconds wall nanoseconds 5000000',
      'cpu nanoseconds cpu nanoseconds 5000000',
      'wall nanoseconds wall nanoseconds 5000000',
    ])
    const events = Array.from({ length: 4 }, (_, p) =>
      showAttributes(profiles.dictionary, profiles.profiles.attributesOf(p)),
    )
    expect(events).toEqual([
      'jfr.event=jdk.ExecutionSample',
      'jfr.event=jdk.ExecutionSample',
      'jfr.event=profiler.WallClockSample',
      'jfr.event=profiler.WallClockSample',
    ])
    const totals = Array.from({ length: 4 }, (_, p) => {
      let sum = 0n
      for (let s = profiles.profiles.samplesFrom(p); s < profiles.profiles.samplesTo(p); s++) {
        sum += profiles.samples.total(s)
      }
      return sum / 5_000_000n
    })
    expect(totals).toEqual([2n, 3n, 1n, 301n])
  })

  test('recordings of both clocks use the samples with a state as wall samples', () => {
    const name = 'async-profiler: both clocks'
    expect(times(name, 'cpu')).toEqual([
      '{thread.state=STATE_DEFAULT} 1000000@500',
      '{thread.state=STATE_RUNNABLE} 1000000@600',
    ])
    const { profiles } = readJfr(fixture(name))
    expect(showProfiles(profiles).slice(1)).toEqual([
      'wall nanoseconds wall nanoseconds 50000000',
      'wall nanoseconds wall nanoseconds 50000000',
    ])
  })

  test('samples of a counter use its name as type and events as unit', () => {
    const name = 'async-profiler: counter'
    expect(showProfiles(readJfr(fixture(name)).profiles)).toEqual([
      'cache-misses count cache-misses count 1000',
      'wall nanoseconds wall nanoseconds 50000000',
    ])
    expect(times(name, 'cache-misses')[0]).toBe('{thread.state=STATE_DEFAULT} 1000@500')
  })
})

describe('events with a count and measures', () => {
  const { profiles, notes } = readJfr(fixture('events with a count and measures'))

  test('become a profile of their count and one for each measure', () => {
    expect(typesOf(profiles)).toEqual([
      'alloc_in_new_tlab_objects',
      'alloc_in_new_tlab_bytes',
      'mutex_contentions',
      'mutex_delay',
      'monitor_waits',
      'monitor_wait_time',
      'file_reads',
      'file_read_time',
      'file_read_bytes',
    ])
  })

  test('preserve 64-bit sizes and classes', () => {
    const keys = ['jfr.object_class']
    const attributes = '{jfr.object_class=java/lang/String}'
    expect(showSamples(profiles, 'alloc_in_new_tlab_objects', keys)).toEqual([`${FIB} ${attributes} @2000 @2500`])
    expect(showSamples(profiles, 'alloc_in_new_tlab_bytes', keys)).toEqual([
      `${FIB} ${attributes} 4611686018427387904@2000 9007199254740993@2500`,
    ])
  })

  test('have durations in nanoseconds, rounded down from ticks', () => {
    expect(showSamples(profiles, 'mutex_delay', [])).toEqual([`${WAIT} {} 1500@3000`])
    expect(showSamples(profiles, 'monitor_wait_time', ['jfr.timed_out'])).toEqual([
      `${WAIT} {jfr.timed_out=true} 5@3250`,
    ])
  })

  test('with inline strings are grouped by the text', () => {
    expect(showSamples(profiles, 'file_read_bytes', ['jfr.path'])).toEqual([
      `${FIB} {jfr.path=/a} 512@3500 512@3500`,
      `${FIB} {jfr.path=/b} 512@3500`,
      `${FIB} {} 512@3500`,
    ])
  })

  test('report the fields that were skipped', () => {
    expect(notes).toEqual([
      {
        code: 'fields-left-out',
        count: 2,
        message:
          'skipped fields of samples: jdk.ObjectAllocationInNewTLAB.allocationSize, jdk.JavaMonitorEnter.address',
      },
    ])
  })
})

describe('span contexts', () => {
  const bytes = fixture('span contexts, and fields of all kinds to skip')
  const thread = 'jfr.thread.os_id=4711 jfr.thread.virtual=true'

  function lines(labels?: Uint8Array): string[] {
    const { profiles } = readJfr(bytes, labels === undefined ? {} : { labels })
    return showSamples(profiles, 'cpu').map(line => line.replace(/^.*? \{/, '{').replace(thread, '…'))
  }

  test('are ids without a labels snapshot', () => {
    expect(lines()).toEqual([
      '{jfr.context_id=1 jfr.span_name_id=1 … local_root_span_id=ffffffffffffffff span_id=00000000000000ef thread.id=1 thread.name=main} 3@4000 3@5000',
      '{jfr.context_id=2 … thread.id=1 thread.name=main} 3@6000',
      '{… thread.id=1 thread.name=main} 3@7000',
    ])
  })

  test('get their labels through readProfile, and other formats report that they ignore labels', () => {
    const labels = labelsSnapshot()
    const read = readProfile(bytes, { labels })
    expect(difference(read.profiles, readJfr(bytes, { labels }).profiles)).toBeUndefined()
    expect(difference(read.profiles, readJfr(bytes).profiles)).toBeDefined()
    const folded = readProfile(new TextEncoder().encode('a;b 1\n'), { labels })
    expect(folded.notes.map(note => note.code)).toContain('labels-unused')
  })

  test('become labels, names and links with a labels snapshot', () => {
    expect(lines(labelsSnapshot())).toEqual([
      '{… local_root_span_id=ffffffffffffffff region=us span_name=GET / thread.id=1 thread.name=main} 3@4000 3@5000',
      '{… label.thread.name=mine thread.id=1 thread.name=main tier=us} 3@6000',
      '{… thread.id=1 thread.name=main} 3@7000',
    ])
    const { profiles } = readJfr(bytes, { labels: labelsSnapshot() })
    const { links } = profiles.dictionary
    const link = profiles.samples.link(0)
    expect([...links.traceId(link)]).toEqual(Array.from({ length: 16 }, (_, i) => i + 1))
    expect([...links.spanId(link)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0xef])
    expect(profiles.samples.link(1)).toBe(0 as LinkIndex)
  })

  test('report errors in the labels snapshot as such', () => {
    expect(() => readJfr(bytes, { labels: Uint8Array.of(0x0a, 0x7f) })).toThrow(
      expect.objectContaining({ name: 'FormatError', offset: 1, path: 'labels' }),
    )
  })
})

describe('detection', () => {
  test('uses the first bytes', () => {
    for (const { bytes } of fixtures) expect(detectJfr(bytes)).toBe('certain')
    expect(detectJfr(new Uint8Array([0x46, 0x4c, 0x52]))).toBe('no')
    expect(detectJfr(new Uint8Array(0))).toBe('no')
  })
})

test('errors name the format', () => {
  expect(() => readJfr(new Uint8Array(100))).toThrow(FormatError)
})
