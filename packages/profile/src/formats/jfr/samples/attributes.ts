// The attributes that samples, locations and profiles get from a recording, and sets of them: a thread has several, and
// most samples share theirs, so a set is one number.
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import type { AttributeIndex, StringIndex } from '../../../model/columns/brand.ts'
import { ValueKind } from '../../../model/columns/dictionary.ts'
import type { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../../model/build/intern.ts'
import type { Texts } from '../encoding/texts.ts'

/** Of Hearth, but for those without the prefix, which Pyroscope and Datadog use as labels. */
export const JFR_ATTRIBUTES = {
  /** Profile: the event type. */
  event: 'jfr.event',
  /** Location: how the frame ran, as the recorder says it: "Interpreted", "JIT compiled", "Inlined"... */
  frameType: 'jfr.frame.type',
  /** Location, int. */
  bytecodeIndex: 'jfr.frame.bytecode_index',
  /** Sample, int: `thread.id` is the Java thread's where it is one. */
  osThreadId: 'jfr.thread.os_id',
  /** Sample, bool, only where true. */
  virtualThread: 'jfr.thread.virtual',
  /** Sample, bool, only where true: frames near the root are missing. */
  stackTruncated: 'jfr.stack.truncated',
  /** Sample, hex: a span without its trace, which is no link. */
  spanId: 'span_id',
  localRootSpanId: 'local_root_span_id',
  traceId: 'trace_id',
  spanName: 'span_name',
  /** Sample, int: numbers that the labels beside the recording would explain, where they were not given. */
  contextId: 'jfr.context_id',
  spanNameId: 'jfr.span_name_id',
} as const

/** A field that became an attribute: `objectClass` is `jfr.object_class`. */
export function fieldAttribute(field: string): string {
  return `jfr.${field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}`
}

/** The string that was read last as the value of an attribute. */
export function textAttribute(builder: ProfilesBuilder, key: string, texts: Texts): AttributeIndex {
  const { source, from, length } = texts
  return builder.dictionary.attribute(builder.string(key), 0 as StringIndex, ValueKind.string, from, length, source)
}

/** A whole number given by its halves. */
export function integerAttribute(builder: ProfilesBuilder, key: string, lo: number, hi: number): AttributeIndex {
  return builder.dictionary.attribute(builder.string(key), 0 as StringIndex, ValueKind.int, lo, hi, NO_BYTES)
}

const NO_BYTES = new Uint8Array(0)

/** Set 0 is the empty one. */
export class AttributeSets {
  readonly #sets = new SequenceInterner()

  constructor() {
    this.add([])
  }

  add(attributes: readonly AttributeIndex[]): number {
    const ints = Int32Array.from(attributes)
    return this.#sets.intern(ints, 0, ints.length)
  }

  pushTo(target: GrowingInts, set: number): void {
    target.pushAll(this.#sets.pool.array, this.#sets.start(set), this.#sets.end(set))
  }
}
