// A JSON reader that counts the memory of its result, as WireCursor does for protobuf.
import { JsonReader } from '@hearth/profile'
import { textAt } from './text-cache.ts'

/** Values without a cost of their own are small compared to the objects that contain them: `{},` is 3 bytes of text. */
export class JsonCursor extends JsonReader {
  /** How many attribute values contain the current one. */
  valueDepth = 0
  /** The number of members that their message does not define. */
  unknownFields = 0
  private left: number

  constructor(bytes: Uint8Array, format: string, memoryLimit: number) {
    // 50 nested values are 200 nested objects and arrays: `{"kvlistValue":{"values":[{"value":`.
    super(bytes, { format, maxDepth: 256 })
    this.left = memoryLimit
  }

  spend(cost: number): void {
    this.left -= cost
    if (this.left < 0) this.fail('content takes too much memory for its size')
  }

  textValue(): string {
    if (!this.stringRange()) {
      this.offset = this.from - 1
      return this.string()
    }
    // The reader of the syntax has already checked UTF-8.
    return textAt(this.bytes, this.from, this.to) ?? ''
  }

  /** Reads the members of an object, and skips those that `read` does not read. Null is the same as absent. */
  members(read: (key: string) => void): void {
    this.beginObject()
    for (let key = this.nextKey(); key !== undefined; key = this.nextKey()) if (!this.tryNull()) read(key)
  }
}
