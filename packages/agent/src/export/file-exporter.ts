// Writes profiles to a file, one message after another as the Collector's file exporter does, or to a directory, one file per
// export. Each write is synchronous and atomic: it works while the process exits, and several processes can share a file or
// directory.
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Profiles } from '@hearth/profile/recording'
import { encodeOtlp } from '@hearth/profile/recording'
import type { ProfilesExporter } from './exporter.ts'
import { reasonOf } from '../record/reason-of.ts'

interface FileLimits {
  /** The maximum size of a file that is appended to. */
  readonly bytes: number
  /** The maximum number of files of the service in a directory. The oldest are removed. */
  readonly files: number
}

const FILE_LIMITS: FileLimits = { bytes: 2 ** 30, files: 360 }

export interface FileExporterOptions {
  readonly path: string
  readonly serviceName: string
  readonly onProblem: (problem: string) => void
  readonly limits?: FileLimits
  readonly now?: () => Date
}

/** True if the path is a directory, or ends like one. */
function isDirectoryPath(path: string): boolean {
  if (/[/\\]$/.test(path)) return true
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

export class FileExporter implements ProfilesExporter {
  readonly isSynchronous = true
  readonly #options: FileExporterOptions
  readonly #isDirectory: boolean
  #dropped = 0
  #isClosed = false
  #written = 0

  constructor(options: FileExporterOptions) {
    this.#options = options
    this.#isDirectory = isDirectoryPath(options.path)
    try {
      mkdirSync(this.#isDirectory ? options.path : dirname(options.path), { recursive: true })
    } catch (error) {
      options.onProblem(`cannot write to ${options.path}: ${reasonOf(error)}`)
    }
  }

  get dropped(): number {
    return this.#dropped
  }

  send(profiles: Profiles): void {
    if (this.#isClosed) return
    try {
      const message = encodeOtlp(profiles)
      if (this.#isDirectory) this.#add(message)
      else this.#append(message)
    } catch (error) {
      this.#drop(reasonOf(error))
    }
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  shutdown(): Promise<void> {
    this.#isClosed = true
    return Promise.resolve()
  }

  #append(message: Uint8Array): void {
    const { path, limits = FILE_LIMITS } = this.#options
    const framed = Buffer.allocUnsafe(4 + message.length)
    framed.writeUInt32BE(message.length)
    framed.set(message, 4)
    if (sizeOf(path) + framed.length > limits.bytes) this.#drop(`the file has reached ${limits.bytes} bytes`)
    else appendFileSync(path, framed)
  }

  /** The names sort by time. */
  #add(message: Uint8Array): void {
    const { path, serviceName, limits = FILE_LIMITS, now = () => new Date() } = this.#options
    const service = serviceName.replaceAll(/[^A-Za-z0-9._]+/g, '_').slice(0, 80)
    const time = now().toISOString().replaceAll(':', '-')
    const name = `${time}-${service}-${process.pid}-${++this.#written}.otlp`
    // A program that watches the directory must not see half a file.
    const unfinished = join(path, `.${name}.tmp`)
    writeFileSync(unfinished, message)
    renameSync(unfinished, join(path, name))
    const isOurs = new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d.-]+Z-${service.replaceAll('.', '\\.')}-\\d+-\\d+\\.otlp$`)
    const ours = readdirSync(path).filter(file => isOurs.test(file))
    for (const old of ours.toSorted().slice(0, Math.max(0, ours.length - limits.files)))
      rmSync(join(path, old), { force: true })
  }

  #drop(why: string): void {
    this.#dropped++
    this.#options.onProblem(`profiles were not written to ${this.#options.path}: ${why} (${this.#dropped} so far)`)
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}
