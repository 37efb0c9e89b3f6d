// Files of Cleopatra, the viewer of Firefox profiles until 2016, are rewritten as Gecko's own form:
//
//   { format: 'profileJSONWithSymbolicationTable,1', meta: { interval, startTime },
//     profileJSON: { threads: { '0': { name, samples: [{ frames: [7, 9], extraInfo: { time } }] } } },
//     symbolicationTable: { '7': '(root)', '9': 'draw (in libxul.so)' } }
//
// In the oldest files, `profileJSON` is the list of samples of one thread. Frames start with the root.
import { JsonReader } from '../../wire/json/json-reader.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'

/** The value of `format`. */
export const CLEOPATRA = 'profileJSONWithSymbolicationTable,1'

interface OldSample {
  readonly frames: readonly number[]
  /** Milliseconds from the start. Undefined means one interval after the previous sample. */
  readonly time: number | undefined
}

interface OldThread {
  readonly name: string
  readonly samples: readonly OldSample[]
  readonly markers: number
}

/** Returns undefined if the file is not one of Cleopatra. Throws JsonError. */
export function geckoOfCleopatra(bytes: Uint8Array): Uint8Array | undefined {
  const reader = new JsonReader(bytes)
  if (reader.peek() !== 'object') return undefined
  const meta: Record<string, number> = {}
  let threads: readonly OldThread[] = []
  const symbols = new Map<number, string>()
  let isCleopatra = false
  eachKey(reader, key => {
    if (key === 'format' && reader.peek() === 'string') isCleopatra = reader.string() === CLEOPATRA
    // Other files may be large, and they are read elsewhere.
    if (!isCleopatra) return false
    if (key === 'meta') {
      eachKey(reader, name => {
        if (['interval', 'startTime', 'stackwalk'].includes(name) && reader.peek() === 'number')
          meta[name] = reader.number()
        return true
      })
    } else if (key === 'profileJSON') threads = readThreads(reader)
    else if (key === 'symbolicationTable') {
      eachKey(reader, index => {
        symbols.set(Number(index), reader.string())
        return true
      })
    }
    return true
  })
  if (!isCleopatra) return undefined
  const written = threads.map(thread => geckoThread(thread, symbols, meta['interval'] ?? 1))
  return encodeUtf8(JSON.stringify({ meta: { processType: 0, ...meta }, libs: [], threads: written }))
}

/** Calls `read` for each key of an object until it returns false. A value that it does not read is skipped. */
function eachKey(reader: JsonReader, read: (key: string) => boolean): void {
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined && read(key); key = reader.nextKey());
}

function readThreads(reader: JsonReader): OldThread[] {
  if (reader.peek() === 'array') return [{ name: 'GeckoMain', samples: readSamples(reader), markers: 0 }]
  const threads: OldThread[] = []
  eachKey(reader, key => {
    if (key === 'threads') {
      eachKey(reader, () => {
        threads.push(readThread(reader))
        return true
      })
    }
    return true
  })
  return threads
}

function readThread(reader: JsonReader): OldThread {
  let name = ''
  let samples: readonly OldSample[] = []
  let markers = 0
  eachKey(reader, key => {
    if (key === 'name' && reader.peek() === 'string') name = reader.string()
    else if (key === 'samples') samples = readSamples(reader)
    else if (key === 'markers' && reader.peek() === 'array') {
      reader.beginArray()
      while (reader.nextItem()) markers++
    }
    return true
  })
  return { name, samples, markers }
}

function readSamples(reader: JsonReader): OldSample[] {
  const samples: OldSample[] = []
  reader.beginArray()
  while (reader.nextItem()) {
    const frames: number[] = []
    let time: number | undefined
    eachKey(reader, key => {
      if (key === 'frames') {
        reader.beginArray()
        while (reader.nextItem()) frames.push(reader.number())
      } else if (key === 'extraInfo' && reader.peek() === 'object') {
        eachKey(reader, name => {
          if (name === 'time' && reader.peek() === 'number') time = reader.number()
          return true
        })
      }
      return true
    })
    samples.push({ frames, time })
  }
  return samples
}

function geckoThread({ name, samples, markers }: OldThread, symbols: ReadonlyMap<number, string>, interval: number) {
  const strings: string[] = []
  const frameOf = new Map<number, number>()
  const stackOf = new Map<string, number>()
  const stacks: (readonly [prefix: number | null, frame: number])[] = []
  const frame = (symbol: number): number => {
    const known = frameOf.get(symbol)
    if (known !== undefined) return known
    frameOf.set(symbol, strings.length)
    return strings.push(symbols.get(symbol) ?? `symbol ${symbol}`) - 1
  }
  const stack = (prefix: number | null, symbol: number): number => {
    const key = `${prefix} ${symbol}`
    const known = stackOf.get(key)
    if (known !== undefined) return known
    stackOf.set(key, stacks.length)
    return stacks.push([prefix, frame(symbol)]) - 1
  }
  let last = 0
  const rows = samples.map(({ frames, time }) => {
    last = time ?? last + interval
    return [frames.reduce<number | null>(stack, null), last] // oxlint-disable-line unicorn/no-null -- the format's own
  })
  return {
    name,
    samples: { schema: { stack: 0, time: 1 }, data: rows },
    stackTable: { schema: { prefix: 0, frame: 1 }, data: stacks },
    frameTable: { schema: { location: 0 }, data: strings.map((_, i) => [i]) },
    markers: { schema: { name: 0, time: 1 }, data: Array.from({ length: markers }, () => [0, 0]) },
    stringTable: strings,
  }
}
