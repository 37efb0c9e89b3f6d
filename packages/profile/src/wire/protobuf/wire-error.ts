// The error of everything that walks protobuf bytes. It knows the place and the cause; which format and which field
// path that means is added by the format that was reading.

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
