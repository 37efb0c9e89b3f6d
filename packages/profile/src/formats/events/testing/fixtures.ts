// Small event profiles as bytes: those of the text form, and some that Hearth's writer would not produce.
import { fixed64, join, len, packed, text, varint } from '../../testing/wire.ts'
import { encodeText } from '../../events-text/encode.ts'
import { fixtures as texts } from '../../events-text/testing/fixtures.ts'

export interface EventsFixture {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Tables before events, and unpacked numbers. */
const reversed = join(
  fixed64(16, 1_700_000_001_000_000_000n),
  len(12, varint(1, 3)),
  ...['', 'cpu', 'main', 's'].map(string => text(11, string)),
  len(6, varint(2, 2)),
  len(5, len(3)),
  len(4),
  len(4, varint(1, 0), varint(1, 0)),
  len(3, varint(1, 1), varint(2, 3), varint(3, 0)),
  len(1, varint(2, 1), varint(5, 1), varint(7, 2)),
  len(1, varint(2, 1), varint(5, 1), varint(7, 2n ** 64n - 1n)),
  len(1, packed(4, []), varint(5, -1), varint(6, 10)),
)

const empty = join(len(3, varint(1, 1)), text(11, ''), text(11, 'nothing yet'))

export const fixtures: readonly EventsFixture[] = [
  ...texts.map(({ name, bytes }) => ({ name, bytes: encodeText(bytes, false).bytes })),
  { name: 'tables before events, and three ticks per second', bytes: reversed },
  { name: 'a type without events', bytes: empty },
]
