// Applies redaction rules to values and counts what they change. A value that stays the same stays the same object, so that
// payloads without a match are not copied.
import { createHmac } from 'node:crypto'
import type { RE2JS } from 're2js'
import type { AnyValue, KeyValue } from '@hearth/profile'
import { isKeyValueList } from '@hearth/profile'
import type { Signal } from '@hearth/signals'
import type { RedactionPlace, RedactionRule } from './rules.ts'
import { compilePattern } from './pattern.ts'

export const REDACTED = '[redacted]'
const HASHED = /^hash:[0-9a-f]{32}$/

interface CompiledRule {
  readonly name: string
  readonly action: 'remove' | 'hash'
  /** Undefined if the rule is about every attribute. */
  readonly matchesKey: ((key: string) => boolean) | undefined
  readonly value: RE2JS | undefined
  readonly places: ReadonlySet<RedactionPlace>
  readonly signals: ReadonlySet<Signal> | undefined
  readonly tenants: ReadonlySet<string> | undefined
}

/** Keys recur, and a pattern is slower than a lookup. */
const MAX_KNOWN_KEYS = 10_000

export class Redactor {
  readonly #rules: readonly CompiledRule[]
  readonly #key: Uint8Array

  /** `key` makes hashes that nobody else can guess. Throws RedactionRuleError. */
  constructor(rules: readonly RedactionRule[], key: Uint8Array) {
    this.#rules = rules.map(compiled)
    this.#key = key
  }

  /** The rules for one request; undefined if there are none. */
  for(tenant: string, signal: Signal): Redaction | undefined {
    const rules = this.#rules.filter(
      ({ tenants, signals }) => (tenants?.has(tenant) ?? true) && (signals?.has(signal) ?? true),
    )
    return rules.length === 0 ? undefined : new Redaction(rules, this.#key)
  }
}

function compiled({ name, action, key, keyPattern, valuePattern, ...rule }: RedactionRule): CompiledRule {
  const byDefault: readonly RedactionPlace[] = ['resource', 'scope', 'attributes', 'body']
  return {
    name,
    action,
    matchesKey:
      key !== undefined ? each => each === key : keyPattern === undefined ? undefined : byPattern(name, keyPattern),
    value: valuePattern === undefined ? undefined : compilePattern(name, valuePattern),
    // A body that is a list of keys and values has keys too.
    places: new Set(rule.in ?? byDefault),
    signals: rule.signals === undefined ? undefined : new Set(rule.signals),
    tenants: rule.tenants === undefined ? undefined : new Set(rule.tenants),
  }
}

function byPattern(name: string, pattern: string): (key: string) => boolean {
  const regex = compilePattern(name, pattern)
  const known = new Map<string, boolean>()
  return key => {
    const found = known.get(key)
    if (found !== undefined) return found
    const result = regex.testExact(key)
    if (known.size >= MAX_KNOWN_KEYS) known.clear()
    known.set(key, result)
    return result
  }
}

/** Redacts the values of one request. */
export class Redaction {
  /** The number of redactions by rule. */
  readonly counts = new Map<string, number>()
  readonly #rules: readonly CompiledRule[]
  readonly #key: Uint8Array

  constructor(rules: readonly CompiledRule[], key: Uint8Array) {
    this.#rules = rules
    this.#key = key
  }

  attributes(list: readonly KeyValue[], place: RedactionPlace): readonly KeyValue[] {
    let changed: KeyValue[] | undefined
    for (const [i, attribute] of list.entries()) {
      const after = this.attribute(attribute, place)
      if (after === attribute) changed?.push(attribute)
      else {
        changed ??= list.slice(0, i)
        if (after !== undefined) changed.push(after)
      }
    }
    return changed ?? list
  }

  /** Returns undefined to remove the attribute, and the same object if nothing changes. It counts `times` times. */
  attribute(attribute: KeyValue, place: RedactionPlace, times = 1): KeyValue | undefined {
    const { key } = attribute
    let { value } = attribute
    for (const rule of this.#rules) {
      if (!rule.places.has(place) || rule.matchesKey?.(key) === false) continue
      if (rule.value !== undefined) value = this.#replaced(value, rule, rule.value, times)
      else if (rule.matchesKey === undefined) continue
      else if (rule.action === 'remove') {
        this.#count(rule, times)
        return undefined
      } else value = this.#hashed(value, rule, times)
    }
    value = this.#nested(value, place, times)
    // The unknown fields of a value may contain the value itself.
    return value === attribute.value ? attribute : { key, value }
  }

  /** The body of a log record. */
  body(body: AnyValue): AnyValue {
    let value = body
    for (const rule of this.#rules) {
      if (!rule.places.has('body') || rule.matchesKey !== undefined || value === undefined) continue
      if (rule.value !== undefined) value = this.#replaced(value, rule, rule.value, 1)
      else if (rule.action === 'hash') value = this.#hashed(value, rule, 1)
      else {
        this.#count(rule, 1)
        value = undefined
      }
    }
    return this.#nested(value, 'body', 1)
  }

  /** Rules for keys apply inside of lists of keys and values too. */
  #nested(value: AnyValue, place: RedactionPlace, times: number): AnyValue {
    if (typeof value !== 'object' || value instanceof Uint8Array) return value
    if (!isKeyValueList(value)) return mapped(value, each => this.#nested(each, place, times))
    let changed: KeyValue[] | undefined
    for (const [i, entry] of value.entries.entries()) {
      const after = this.attribute(entry, place, times)
      if (after === entry) changed?.push(entry)
      else {
        changed ??= value.entries.slice(0, i)
        if (after !== undefined) changed.push(after)
      }
    }
    return changed === undefined ? value : { entries: changed }
  }

  #hashed(value: AnyValue, rule: CompiledRule, times: number): AnyValue {
    if (value === undefined || (typeof value === 'string' && HASHED.test(value))) return value
    this.#count(rule, times)
    return this.#hash(value instanceof Uint8Array ? value : typeof value === 'object' ? plain(value) : String(value))
  }

  /** Replaces the parts of texts that match. Numbers and bytes that match become texts. Lists are visited by `#nested`. */
  #replaced(value: AnyValue, rule: CompiledRule, pattern: RE2JS, times: number): AnyValue {
    if (value === undefined || typeof value === 'boolean') return value
    if (typeof value === 'object' && !(value instanceof Uint8Array)) {
      if (isKeyValueList(value)) {
        // Without a key, `attribute` applies the rule to each entry.
        if (rule.matchesKey === undefined) return value
        const entries = mapped(value.entries, entry => {
          const after = this.#replaced(entry.value, rule, pattern, times)
          return after === entry.value ? entry : { key: entry.key, value: after }
        })
        return entries === value.entries ? value : { entries }
      }
      return mapped(value, each => this.#replaced(each, rule, pattern, times))
    }
    const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)
    if (HASHED.test(text)) return value
    const matcher = pattern.matcher(text)
    let result = ''
    let from = 0
    while (matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()]
      if (end === start) continue
      this.#count(rule, times)
      result += text.slice(from, start) + (rule.action === 'remove' ? REDACTED : this.#hash(text.slice(start, end)))
      from = end
    }
    if (from === 0) return value
    return result + text.slice(from)
  }

  #hash(value: string | Uint8Array): string {
    return `hash:${createHmac('sha256', this.#key).update(value).digest('hex').slice(0, 32)}`
  }

  #count({ name }: CompiledRule, times: number): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + times)
  }
}

/** Returns the same list if no element changes. */
function mapped<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let changed: Item[] | undefined
  for (const [i, item] of list.entries()) {
    const after = change(item)
    if (after !== item) changed ??= list.slice(0, i)
    changed?.push(after)
  }
  return changed ?? list
}

/** A text that differs for values that differ. */
function plain(value: AnyValue): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? `${each}n` : each instanceof Uint8Array ? Buffer.from(each).toString('base64') : each,
  )
}
