// Lists of messages with something done to each as it is gone through: they stay as lazy as what they are made of.
import type { Message, MessageSequence } from '../otlp/generations/schema-reader.ts'

/** A message for which `change` gives undefined is left out; `length` then counts it still. */
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
