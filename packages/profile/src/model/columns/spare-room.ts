// Bytes with room behind them. A later step can add bytes there, without copying the others again.

/** The added bytes of a request are few: a resource, a scope and attributes. */
const ROOM = 1024

/** The end of the used part of each buffer with room. */
const usedEnds = new WeakMap<ArrayBufferLike, number>()

export function bytesWithRoom(length: number): Uint8Array {
  return withRoom(undefined, length)
}

/** The same in an existing buffer whose content is not needed any more, or in a larger one. */
export function withRoom(existing: ArrayBuffer | undefined, length: number): Uint8Array {
  const need = length + ROOM
  const fits = existing !== undefined && existing.byteLength >= need
  // A buffer that is used again grows by half, so that it soon fits all requests.
  const buffer = fits ? existing : new ArrayBuffer(existing === undefined ? need : need + (need >> 1))
  usedEnds.set(buffer, length)
  return new Uint8Array(buffer, 0, length)
}

/**
 * The same bytes followed by `count` more, in the room behind them. Undefined if there is too little room, or if the room
 * behind these bytes is in use. The room is in use from then on.
 */
export function extendedInPlace({ buffer, byteOffset, length }: Uint8Array, count: number): Uint8Array | undefined {
  const end = byteOffset + length
  if (usedEnds.get(buffer) !== end || end + count > buffer.byteLength) return undefined
  usedEnds.set(buffer, end + count)
  return new Uint8Array(buffer, byteOffset, length + count)
}
