// Lists of messages that are changed during iteration. They stay as lazy as the original lists.
import type { Message, MessageSequence } from '../otlp/generations/schema-reader.ts'

/** Drops messages for which `change` returns undefined. `length` still counts them. */
export function mappedMessages(
  list: MessageSequence,
  change: (message: Message, place: number) => Message | undefined,
): MessageSequence {
  return {
    length: list.length,
    ...(list.offset === undefined ? {} : { offset: list.offset }),
    *[Symbol.iterator]() {
      let place = 0
      for (const message of list) {
        const changed = change(message, place++)
        if (changed !== undefined) yield changed
      }
    },
  }
}

export function appendedMessages(list: MessageSequence, more: readonly Message[]): MessageSequence {
  return {
    length: list.length + more.length,
    ...(list.offset === undefined ? {} : { offset: list.offset }),
    *[Symbol.iterator]() {
      yield* list
      yield* more
    },
  }
}
