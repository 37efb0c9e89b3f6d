// Memory that the legacy reader uses again for the next profile and the next payload. A profile of these generations has its
// own tables, so a payload of a hundred small profiles would otherwise allocate thousands of typed arrays, each of which costs
// about a microsecond.
import { ProfilesBuilder } from '../../../model/build/builder.ts'
import { BytesInterner, SequenceInterner } from '../../../model/build/intern.ts'
import { GrowingBytes, GrowingInts } from '../../../model/columns/growing-columns.ts'

/** Interners with more rows are replaced: emptying them would take longer than a small profile. */
const MAX_KEPT_ROWS = 4096
/** In bytes of input. The memory of larger payloads is not kept. */
const MAX_KEPT_INPUT = 1 << 20
const NO_BYTES = new Uint8Array(0)

export class LegacyMemory {
  readonly builder = new ProfilesBuilder()
  /** Attributes of this payload that were read before: their bytes and rows. */
  readonly attributeBytes = new BytesInterner(new GrowingBytes())
  readonly attributeRows = new GrowingInts()

  // The lists of the row being read.
  readonly attributes = new GrowingInts()
  readonly lines = new GrowingInts()
  readonly locations = new GrowingInts()

  // The samples of the profile being read, see LegacySamples.
  readonly identity = new GrowingInts()
  readonly plain = new GrowingInts()
  readonly plainEnds = new GrowingInts()
  readonly plainValues = new GrowingInts()
  readonly owners = new GrowingInts()
  readonly times = new GrowingInts()
  readonly timedValues = new GrowingInts()
  #timed = new SequenceInterner()

  // The runs of locations of the profile being read, see LegacyStacks.
  readonly runRows = new GrowingInts()
  #runs = new SequenceInterner()

  /** Byte ranges of `bytes` need no copy. */
  openPayload(bytes: Uint8Array): void {
    this.builder.over(bytes)
    this.attributeBytes.pool.over(bytes)
    this.attributeBytes.clear()
    this.attributeRows.length = 0
  }

  /** Returns empty columns for the samples of one profile. The columns of the previous profile are no longer valid. */
  openSamples(): this {
    for (const column of [this.identity, this.plain, this.plainEnds, this.plainValues]) column.length = 0
    for (const column of [this.owners, this.times, this.timedValues, this.runRows]) column.length = 0
    this.#timed = emptied(this.#timed)
    this.#runs = emptied(this.#runs)
    return this
  }

  get timed(): SequenceInterner {
    return this.#timed
  }

  get runs(): SequenceInterner {
    return this.#runs
  }
}

function emptied(interner: SequenceInterner): SequenceInterner {
  if (interner.length > MAX_KEPT_ROWS) return new SequenceInterner()
  interner.clear()
  return interner
}

let free: LegacyMemory | undefined

/** Calls `read` with memory for one payload. */
export function withMemory<Result>(
  bytes: Uint8Array | undefined,
  inputSize: number,
  read: (memory: LegacyMemory) => Result,
): Result {
  const memory = free ?? new LegacyMemory()
  free = undefined
  memory.openPayload(bytes ?? NO_BYTES)
  const result = read(memory)
  if (inputSize <= MAX_KEPT_INPUT) {
    // The payload must not stay alive until the next one.
    memory.openPayload(NO_BYTES)
    free = memory
  }
  return result
}
