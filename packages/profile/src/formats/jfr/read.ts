// Reads recordings chunk by chunk. Each event type that is a sample becomes a profile.
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { JfrAttributeSets } from './samples/attributes.ts'
import { ChunkReader } from './chunk.ts'
import type { OnBroken } from './chunk.ts'
import type { ChunkHeader } from './encoding/chunk-header.ts'
import { findChunk, readChunkHeader } from './encoding/chunk-header.ts'
import type { JfrRecording } from './samples/event-reader.ts'
import { LabelsSnapshot } from './samples/labels.ts'
import { RecordingInfo } from './recording-info.ts'
import { SeriesList } from './samples/series-list.ts'
import { Settings } from './samples/settings.ts'
import { SpanContexts } from './samples/span-context.ts'

/** The maximum number of names in a note. */
const MAX_LISTED = 12

export function readJfr(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  return new RecordingReader(bytes, options).read()
}

class RecordingReader {
  readonly #bytes: Uint8Array
  readonly #lenient: boolean
  readonly #notes = new NoteList()
  readonly #recording: JfrRecording
  readonly #info = new RecordingInfo()
  readonly #skippedEvents = new Map<string, number>()
  #start = -1n
  #end = 0n
  #version = ''

  constructor(bytes: Uint8Array, options: ReadOptions) {
    this.#bytes = bytes
    this.#lenient = options.lenient === true
    const builder = new ProfilesBuilder()
    const sets = new JfrAttributeSets()
    const labels = options.labels === undefined ? undefined : LabelsSnapshot.read(options.labels)
    this.#recording = {
      builder,
      sets,
      settings: new Settings(),
      contexts: new SpanContexts(builder, sets, labels),
      series: new SeriesList(),
      skippedFields: new Set(),
    }
  }

  read(): ReadResult {
    for (let at = 0; at < this.#bytes.length;) at = this.#readChunk(at)
    if (this.#version === '') throw new FormatError('jfr', 0, 'the file has no readable chunk')
    this.#writeProfiles()
    this.#noteSkipped()
    return { profiles: this.#recording.builder.build(), notes: this.#notes.list(), generation: this.#version }
  }

  /** Returns the offset of the next chunk. */
  #readChunk(at: number): number {
    let header: ChunkHeader
    try {
      header = readChunkHeader(this.#bytes, at, this.#lenient, what => this.#notes.addDamage('truncated', what))
    } catch (error) {
      // A recording that was copied while it was written ends in an incomplete chunk. Its other chunks are complete.
      const isFirst = this.#version === ''
      if (!(error instanceof FormatError) || (!this.#lenient && isFirst)) throw error
      this.#notes.addDamage('skipped-bytes', `skipped bytes outside of chunks: ${error.message}`)
      return findChunk(this.#bytes, at + 1)
    }
    try {
      this.#readEvents(header)
      if (this.#version === '') this.#version = header.version
    } catch (error) {
      if (!this.#lenient || !(error instanceof FormatError)) throw error
      this.#notes.addDamage('skipped-chunks', `skipped unreadable chunks: ${error.message}`)
    }
    return header.to
  }

  #readEvents(header: ChunkHeader): void {
    const reader = new ChunkReader(this.#recording, this.#info, this.#bytes, header, this.#onBroken)
    const events = reader.read((event, count) => {
      this.#skippedEvents.set(event, (this.#skippedEvents.get(event) ?? 0) + count)
    })
    this.#notes.add(
      'stacks-missing',
      'events refer to stack traces that are not in the recording',
      events.missingStacks,
    )
    this.#notes.add('methods-missing', 'frames refer to methods that are not in the recording', events.missingMethods)
    const start = header.startNanos > 0n ? header.startNanos : 0n
    const end = header.durationNanos > 0n ? start + header.durationNanos : start
    if (this.#start < 0n || start < this.#start) this.#start = start
    if (end > this.#end) this.#end = end
  }

  readonly #onBroken: OnBroken = (part, error) => {
    if (!this.#lenient || !(error instanceof FormatError)) throw error
    const codes = { chunk: 'truncated', constants: 'skipped-constants', event: 'skipped-events' } as const
    this.#notes.addDamage(codes[part], error.message)
  }

  #writeProfiles(): void {
    const { builder, sets, series, settings } = this.#recording
    const list = series.list()
    if (list.length === 0) return
    builder.resource({ attributes: this.#info.attributes() })
    const { version } = settings
    builder.scope(version === '' ? { name: 'jdk.jfr' } : { name: 'async-profiler', version })
    for (const one of list) one.writeTo(builder, sets, this.#start, this.#end)
  }

  #noteSkipped(): void {
    const events = Array.from(this.#skippedEvents).sort((a, b) => b[1] - a[1])
    const total = events.reduce((sum, [, count]) => sum + count, 0)
    const named = listed(events.map(([name, count]) => `${count} ${name}`))
    this.#notes.add('events-left-out', `skipped events that are not samples: ${named}`, total)
    const fields = Array.from(this.#recording.skippedFields)
    this.#notes.add('fields-left-out', `skipped fields of samples: ${listed(fields)}`, fields.length)
  }
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED
  return names.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
