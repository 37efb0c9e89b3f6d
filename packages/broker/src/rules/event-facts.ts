// The properties of an event that rules use, computed on first use and once for all rules.
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

  /** Reuses one object for all events. */
  turnTo(event: Event): this {
    this.event = event
    this.#method = undefined
    this.#segments = undefined
    this.#host = undefined
    return this
  }

  /** The method in upper case. */
  get method(): string {
    return (this.#method ??= upperCase(valueText(this.event.values['method'])))
  }

  get path(): string {
    return valueText(this.event.values['path'])
  }

  get segments(): readonly string[] {
    return (this.#segments ??= splitPath(this.path))
  }

  /** The parts of the name, in lower case. */
  get host(): readonly string[] {
    if (this.#host === undefined) {
      const [name, port] = splitHost(valueText(this.event.values['host']))
      this.#host = splitDots(name)
      this.#port = port
    }
    return this.#host
  }

  /** Set after `host` was read. */
  get port(): string | undefined {
    return this.#port
  }
}

/** Most methods are in upper case already, and a comparison is cheaper than a new string. */
function upperCase(text: string): string {
  return /[^A-Z]/.test(text) ? text.toUpperCase() : text
}

function valueText(value: Value | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Whether a value, or an item of a list, passes the test as text. Numbers and booleans are converted to text. */
export function anyText(value: Value | undefined, test: (text: string) => boolean): boolean {
  if (isList(value)) return value.some(item => anyText(item, test))
  if (value === undefined || value === null || isStruct(value)) return false
  return test(String(value))
}

/** One member of `header` or `queryParam`. */
export function memberOf(value: Value | undefined, name: string): Value | undefined {
  return isStruct(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
