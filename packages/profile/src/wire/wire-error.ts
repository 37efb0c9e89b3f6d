// The error of all readers of bytes and text in protobuf, with the offset and the cause. The format that was reading adds its
// name and the path of the field.

export class WireError extends Error {
  override readonly name = 'WireError'
  readonly offset: number
  readonly what: string

  constructor(offset: number, what: string) {
    super(`${what} at byte ${offset}`)
    this.offset = offset
    this.what = what
  }
}
