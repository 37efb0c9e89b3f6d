// What rules ask about an event, worked out when first asked and once for all rules that are tried.
import type { Event } from '../messages/event.ts'
import type { Value } from '../messages/value.ts'
import { isList, isStruct } from '../messages/value.ts'
import { splitDots, splitHost, splitPath } from './segment-pattern.ts'

const NO_EVENT = { values: {} } as Event

export class EventFacts {
  event: Event = NO_EVENT
  #method: string | undefined
  #segments: readonly string[] | undefined
  #host: readonly string[] | undefined
  #port: string | undefined

  /** One object goes from event to event. */
  turnTo(event: Event): this {
    this.event = event
    this.#method = undefined
    this.#segments = undefined
    this.#host = undefined
    return this
  }

  /** In upper case. */
  get method(): string {
    return (this.#method ??= upperCase(textOf(this.event.values['method'])))
  }

  get path(): string {
    return textOf(this.event.values['path'])
  }

  get segments(): readonly string[] {
    return (this.#segments ??= splitPath(this.path))
  }

  /** The parts of the name, in lower case. */
  get host(): readonly string[] {
    if (this.#host === undefined) {
      const [name, port] = splitHost(textOf(this.event.values['host']))
      this.#host = splitDots(name)
      this.#port = port
    }
    return this.#host
  }

  /** Known once `host` was asked for. */
  get port(): string | undefined {
    return this.#port
  }
}

/** Most methods come in upper case, and comparing is cheaper than making another string. */
function upperCase(text: string): string {
  return /[^A-Z]/.test(text) ? text.toUpperCase() : text
}

export function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Whether a value, or one of a list, is a text that passes; numbers and booleans are as they are spelt. */
export function anyText(value: Value | undefined, test: (text: string) => boolean): boolean {
  if (isList(value)) return value.some(item => anyText(item, test))
  if (value === undefined || value === null || isStruct(value)) return false
  return test(String(value))
}

/** One member of `header` or `queryParam`. */
export function memberOf(value: Value | undefined, name: string): Value | undefined {
  return isStruct(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
