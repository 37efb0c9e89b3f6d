// The attributes of samples, locations and profiles, and sets of attributes. A thread has several attributes and most samples
// share theirs, so samples refer to a set by its number.
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import type { AttributeIndex, StringIndex } from '../../../model/columns/brand.ts'
import { ValueKind } from '../../../model/columns/dictionary.ts'
import type { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../../model/build/intern.ts'
import type { Texts } from '../encoding/texts.ts'

/** Names that Hearth defines have the prefix `jfr.`. The others are labels of Pyroscope and Datadog. */
export const JFR_ATTRIBUTES = {
  /** Profile: the event type. */
  event: 'jfr.event',
  /** Location: the recorder's name for the kind of frame: "Interpreted", "JIT compiled", "Inlined"... */
  frameType: 'jfr.frame.type',
  /** Location, int. */
  bytecodeIndex: 'jfr.frame.bytecode_index',
  /** Sample, int. For a Java thread, `thread.id` has the Java id instead. */
  osThreadId: 'jfr.thread.os_id',
  /** Sample, bool, set only if true. */
  virtualThread: 'jfr.thread.virtual',
  /** Sample, bool, set only if true: frames near the root are missing. */
  stackTruncated: 'jfr.stack.truncated',
  /** Sample, hex: a span without its trace, which cannot be a link. */
  spanId: 'span_id',
  localRootSpanId: 'local_root_span_id',
  traceId: 'trace_id',
  spanName: 'span_name',
  /** Sample, int: ids that a labels snapshot would resolve, if it was not given. */
  contextId: 'jfr.context_id',
  spanNameId: 'jfr.span_name_id',
} as const

/** The attribute for a field: `objectClass` becomes `jfr.object_class`. */
export function fieldAttribute(field: string): string {
  return `jfr.${field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}`
}

/** An attribute with the string that `texts` read last. */
export function textAttribute(builder: ProfilesBuilder, key: string, texts: Texts): AttributeIndex {
  const { source, from, length } = texts
  return builder.dictionary.attribute(builder.string(key), 0 as StringIndex, ValueKind.string, from, length, source)
}

/** An attribute with a 64-bit integer, given by its halves. */
export function integerAttribute(builder: ProfilesBuilder, key: string, lo: number, hi: number): AttributeIndex {
  return builder.dictionary.attribute(builder.string(key), 0 as StringIndex, ValueKind.int, lo, hi, NO_BYTES)
}

const NO_BYTES = new Uint8Array(0)

/** Set 0 is the empty one. */
export class JfrAttributeSets {
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
