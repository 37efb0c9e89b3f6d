// What an original payload is, by its first bytes: the draft has no field for it, and the data model requires one.

const MAGIC: readonly (readonly [format: string, start: string])[] = [
  ['jfr', 'FLR\0'],
  ['linux_perf', 'PERFILE2'],
  ['linux_perf', '2ELIFREP'],
  // Nothing else that profilers send is compressed by itself.
  ['pprof', '\u001f\u008b'],
]

export function payloadFormat(payload: Uint8Array): string {
  if (payload.length === 0) return ''
  const found = MAGIC.find(([, start]) => Array.from(start).every((letter, i) => payload[i] === letter.charCodeAt(0)))
  return found?.[0] ?? 'unknown'
}
