// Reads the features of the header that describe the recording. Each is a section of a file or a record of a pipe.
import type { PerfRecording } from '../recordings/perf-recording.ts'
import type { BuildIds } from './build-ids.ts'
import type { EventList } from './event-list.ts'
import type { PerfSection } from './file-header.ts'
import type { PerfBytes } from './perf-bytes.ts'
import { Feature } from './record-types.ts'

/** The same moment on two clocks. */
export interface ClockReference {
  readonly clock: number
  readonly wall: bigint
  readonly time: bigint
}

export class Features {
  readonly recording: PerfRecording = {}
  clockReference: ClockReference | undefined
  /** True if the samples are in other files of a directory. */
  isDirectory = false
  readonly #events: EventList
  readonly #buildIds: BuildIds

  constructor(events: EventList, buildIds: BuildIds) {
    this.#events = events
    this.#buildIds = buildIds
  }

  /** Ignores invalid features, because they should not prevent reading the samples. */
  read(file: PerfBytes, feature: number, section: PerfSection): void {
    const { recording } = this
    switch (feature) {
      case Feature.buildId:
        this.#buildIds.readSection(file, section)
        break
      case Feature.hostName:
        setText(recording, 'hostName', file, section)
        break
      case Feature.osRelease:
        setText(recording, 'osRelease', file, section)
        break
      case Feature.version:
        setText(recording, 'perfVersion', file, section)
        break
      case Feature.arch:
        setText(recording, 'arch', file, section)
        break
      case Feature.cpuDescription:
        setText(recording, 'cpuModel', file, section)
        break
      case Feature.commandLine: {
        const words = textList(file, section)
        if (words.length > 0) recording.commandLine = words
        break
      }
      case Feature.eventDescription:
        this.#events.readDescriptions(file, section)
        break
      case Feature.pmuMappings:
        this.#readPmus(file, section)
        break
      case Feature.directoryFormat:
        this.isDirectory = true
        break
      case Feature.clockData:
        this.#readClock(file, section)
        break
      default:
    }
  }

  /** Reads pairs of type and name. */
  #readPmus(file: PerfBytes, { from, to }: PerfSection): void {
    if (to - from < 4) return
    const count = file.u32(from)
    let at = from + 4
    for (let i = 0; i < count && at + 8 <= to; i++) {
      const end = at + 8 + file.u32(at + 4)
      if (end > to) return
      this.#events.pmus.set(file.u32(at), file.text(at + 8, end))
      at = end
    }
  }

  #readClock(file: PerfBytes, { from, to }: PerfSection): void {
    if (to - from < 24) return
    this.clockReference = { clock: file.i32(from + 4), wall: file.u64(from + 8), time: file.u64(from + 16) }
  }
}

type TextKey = 'hostName' | 'osRelease' | 'perfVersion' | 'arch' | 'cpuModel'

/** Reads a length, then that many bytes, padded with NUL. */
function setText(recording: PerfRecording, key: TextKey, file: PerfBytes, { from, to }: PerfSection): void {
  if (to - from < 4) return
  const text = file.text(from + 4, Math.min(to, from + 4 + file.u32(from)))
  if (text !== '') recording[key] = text
}

function textList(file: PerfBytes, { from, to }: PerfSection): string[] {
  const texts: string[] = []
  if (to - from < 4) return texts
  const count = file.u32(from)
  let at = from + 4
  while (texts.length < count && at + 4 <= to) {
    const end = at + 4 + file.u32(at)
    if (end > to) break
    texts.push(file.text(at + 4, end))
    at = end
  }
  return texts
}
