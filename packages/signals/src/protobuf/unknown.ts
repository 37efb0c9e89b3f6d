// Fields that a message does not define, and where its object keeps them.
import { joinBytes } from '@hearth/profile'

/** A message that an object represents. */
export interface WithUnknown {
  /**
   * The fields that the message does not define, in order, as protobuf has them. A newer version may add some, so writers
   * write them again. Empty if only messages inside of this one have some. Absent if there are none, which is nearly always.
   */
  readonly unknown?: Uint8Array
}

/** The property beside `property` for the unknown fields of a message that a value represents, such as a log's body. */
export const unionUnknown = (property: string): string => `${property}Unknown`

export function setUnknown(owner: object, fields: readonly Uint8Array[]): void {
  const draft: { -readonly [Name in keyof WithUnknown]: WithUnknown[Name] } = owner
  draft.unknown = fields.length === 1 ? fields[0] : joinBytes(fields)
}
