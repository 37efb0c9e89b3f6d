// Creates events like those of HTTP requests: `eventOf('GET /profiles/cpu', { header: { region: 'eu' } })`.
import { createEvent } from '../../messages/create-event.ts'
import type { Event } from '../../messages/event.ts'
import { Category } from '../../messages/event.ts'
import type { Value } from '../../messages/value.ts'

export interface Rest extends Partial<Omit<Event, 'values'>> {
  readonly host?: string
  readonly header?: Readonly<Record<string, Value>>
  readonly queryParam?: Readonly<Record<string, Value>>
}

export function eventOf(line: string, { host, header, queryParam, ...rest }: Rest = {}): Event {
  const [method, path] = line.split(' ')
  const values = { method, path, host, header, queryParam }
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  return createEvent({
    type: 'io.kubefox.http',
    category: Category.REQUEST,
    values: given as Event['values'],
    ...rest,
  })
}
