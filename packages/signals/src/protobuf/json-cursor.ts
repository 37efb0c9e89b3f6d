// A reader of JSON that counts what its result takes in memory, as WireCursor does for protobuf.
import { JsonReader } from '@hearth/profile'
import { textAt } from './text-cache.ts'

/** `{},` takes 3 bytes of text: values of any type are small beside the objects that hold them. */
export class JsonCursor extends JsonReader {
  /** How many attribute values inside each other. */
  valueDepth = 0
  private left: number

  constructor(bytes: Uint8Array, format: string, memoryLimit: number) {
    // 50 values inside each other are 200 objects and arrays: `{"kvlistValue":{"values":[{"value":`.
    super(bytes, { format, maxDepth: 256 })
    this.left = memoryLimit
  }

  spend(cost: number): void {
    this.left -= cost
    if (this.left < 0) this.fail('content takes more memory than its size allows for')
  }

  textValue(): string {
    if (!this.stringRange()) {
      this.offset = this.from - 1
      return this.string()
    }
    // UTF-8 was checked with the rest of the syntax.
    return textAt(this.bytes, this.from, this.to) ?? ''
  }

  /** Reads the members of an object; those that `read` leaves alone are skipped. Null is the same as absent. */
  members(read: (key: string) => void): void {
    this.beginObject()
    for (let key = this.nextKey(); key !== undefined; key = this.nextKey()) if (!this.tryNull()) read(key)
  }
}
