// Random messages of the protocol, with values that JSON can represent.
/* oxlint-disable unicorn/no-null -- null is one of the kinds of google.protobuf.Value */
import fc from 'fast-check'
import type { Message } from '@hearth/signals'
import { arbitraryMessage } from '../../../../signals/src/testing/arbitrary-message.ts'
import type { Value } from '../value.ts'
import { VALUE } from '../value.ts'

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('__proto__', 'constructor', '', 'é'))

const arbitraryValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    // Without -0, which JSON.stringify writes as 0.
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => number + 0),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
})).value

export function arbitraryOf<T>(message: Message<T>): fc.Arbitrary<T> {
  return arbitraryMessage(message, new Map([[VALUE as Message, arbitraryValue as fc.Arbitrary<unknown>]]))
}
