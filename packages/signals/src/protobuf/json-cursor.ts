// A JSON reader that counts the memory of its result, as WireCursor does for protobuf.
import { JsonReader, encodeMember, jsonValueText } from '@hearth/profile'
import { textAt } from './text-cache.ts'
import { setUnknown } from './unknown.ts'
import { VIEW_COST } from './wire-cursor.ts'

/** Values without a cost of their own are small compared to the objects that contain them: `{},` is 3 bytes of text. */
export class JsonCursor extends JsonReader {
  /** How many attribute values contain the current one. */
  valueDepth = 0
  /** Numbers of members that their message does not define: those that the result has, and the others. */
  keptFields = 0
  droppedFields = 0
  /** The unknown members of the last attribute value, as parts of an attribute. */
  valueUnknown: Uint8Array | undefined
  private readonly kept = new Map<object, Uint8Array[]>()
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

  /** Keeps the current member. `finish` adds it to `owner`. */
  keep(owner: object, name: string): void {
    const members = this.kept.get(owner)
    if (members === undefined) this.kept.set(owner, [this.member(name)])
    else members.push(this.member(name))
  }

  /** The current member, which the message does not define, as a field. See encodeMember. */
  member(name: string): Uint8Array {
    this.keptFields++
    this.spend(VIEW_COST)
    return encodeMember(name, jsonValueText(this))
  }

  dropMember(): void {
    this.droppedFields++
  }

  /** Counts members as dropped that were kept in a value which another one has replaced. */
  dropKept(count: number): void {
    this.keptFields -= count
    this.droppedFields += count
  }

  /** Adds the unknown members to their messages. */
  finish(): void {
    for (const [owner, members] of this.kept) setUnknown(owner, members)
    this.kept.clear()
  }

  /** Reads the members of an object, and skips those that `read` does not read. Null is the same as absent. */
  members(read: (key: string) => void): void {
    this.beginObject()
    for (let key = this.nextKey(); key !== undefined; key = this.nextKey()) if (!this.tryNull()) read(key)
  }
}
