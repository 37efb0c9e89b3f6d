// Detects the format of an original payload by its first bytes. The draft has no field for it, but the data model needs one.

const MAGIC: readonly (readonly [format: string, start: string])[] = [
  ['jfr', 'FLR\0'],
  ['linux_perf', 'PERFILE2'],
  ['linux_perf', '2ELIFREP'],
  // No other payload of profilers is compressed.
  ['pprof', '\u001f\u008b'],
]

export function payloadFormat(payload: Uint8Array): string {
  if (payload.length === 0) return ''
  const found = MAGIC.find(([, start]) => Array.from(start).every((letter, i) => payload[i] === letter.charCodeAt(0)))
  return found?.[0] ?? 'unknown'
}
