// Steps over possibly broken protobuf bytes without throwing. A length that exceeds the end is truncated, and an invalid
// field ends the message.

export class SniffCursor {
  readonly bytes: Uint8Array
  /** The position after the last read. */
  pos = 0
  /** Start of the content of the field that was read last. */
  start = 0
  /** Whether anything was truncated or invalid. */
  broken = false

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /**
   * Reads a tag and steps over its field, so that the content is [start, pos). Returns the tag, or 0 for an invalid field,
   * which ends the message.
   */
  field(p: number, end: number): number {
    const { bytes } = this
    const tag = bytes[p]
    const next = bytes[p + 1]
    // Nearly always the tag and the length, or the number, are one byte each.
    if (tag < 128 && next < 128 && p + 1 < end) {
      if ((tag & 7) === 2 && tag > 7 && p + 2 + next <= end) {
        this.start = p + 2
        this.pos = p + 2 + next
        return tag
      }
      if ((tag & 7) === 0 && tag > 7) {
        this.start = p + 1
        this.pos = p + 2
        return tag
      }
    }
    return this.longField(p, end)
  }

  private longField(p: number, end: number): number {
    const tag = this.varint(p, end)
    this.start = this.pos
    switch (tag & 7) {
      case 0:
        this.skipVarint(this.start, end)
        break
      case 1:
        this.advance(8, end)
        break
      case 2: {
        const length = this.varint(this.start, end)
        this.start = this.pos
        this.advance(length, end)
        break
      }
      case 5:
        this.advance(4, end)
        break
      default:
        this.broken = true
        return 0
    }
    if (tag >>> 3 === 0) this.broken = true
    return tag >>> 3 === 0 ? 0 : tag
  }

  /** Reads a varint up to 2^35, which exceeds every length and index. Sets `pos` to the position after it. */
  varint(from: number, end: number): number {
    const { bytes } = this
    if (from < end && bytes[from] < 128) {
      this.pos = from + 1
      return bytes[from]
    }
    let value = 0
    let scale = 1
    let p = from
    while (p < end) {
      const byte = bytes[p++]
      if (scale < 2 ** 35) value += (byte & 127) * scale
      else if ((byte & 127) !== 0) value = 2 ** 35
      scale *= 128
      if (byte < 128) {
        this.pos = p
        return value
      }
    }
    this.pos = end
    return this.cut()
  }

  private skipVarint(from: number, end: number): void {
    const { bytes } = this
    let p = from
    while (p < end && bytes[p] >= 128) p++
    if (p >= end) this.cut()
    this.pos = Math.min(p + 1, end)
  }

  private advance(count: number, end: number): void {
    this.pos = this.start + count
    if (this.pos <= end) return
    this.broken = true
    this.pos = end
  }

  private cut(): number {
    this.broken = true
    return 0
  }
}
