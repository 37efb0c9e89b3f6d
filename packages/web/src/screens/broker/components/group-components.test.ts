import type { ComponentRow } from '@hearth/client'
import { describe, expect, it } from 'vitest'
import { canCapture } from '../../links/can-capture.ts'
import { groupComponents, records, typesOf } from './group-components.ts'

function row(service: string, instance: string, more: Partial<ComponentRow> = {}): ComponentRow {
  return {
    component: { type: 'Process', app: 'shop', name: service, hash: 'abc', id: instance, brokerId: 'b' },
    service,
    instance,
    environment: 'eu',
    profileTypes: ['cpu'],
    attributes: { region: 'west' },
    routes: [],
    defaultHandler: true,
    since: '2026-11-15T10:00:00Z',
    load: { queued: 0, inFlight: 0, received: 0, sent: 0, dropped: 0 },
    remote: false,
    capturing: false,
    ...more,
  }
}

describe('groupComponents', () => {
  it('groups by service, namespace and environment and sorts each group', () => {
    const rows = [row('search', 's1'), row('cart', 'c2'), row('cart', 'c1'), row('cart', 'c3', { environment: 'us' })]
    expect(
      groupComponents(rows).map(({ service, environment, rows: of }) => [service, environment, of.length]),
    ).toEqual([
      ['cart', 'eu', 2],
      ['cart', 'us', 1],
      ['search', 'eu', 1],
    ])
    expect(groupComponents(rows)[0].rows.map(({ instance }) => instance)).toEqual(['c1', 'c2'])
  })

  it('keeps components whose name, instance or attributes contain the search text', () => {
    const rows = [row('search', 's1', { attributes: { region: 'East-1' } }), row('cart', 'c1')]
    expect(groupComponents(rows, ' east ').map(({ service }) => service)).toEqual(['search'])
    expect(groupComponents(rows, 'nowhere')).toEqual([])
  })
})

describe('records', () => {
  it('accepts unknown types of components that do not announce theirs', () => {
    const console_ = row('cli', 'x', { component: { ...row('cli', 'x').component, type: 'Console' } })
    const silent = row('old', 'o', { profileTypes: [] })
    const heap = row('cart', 'c', { profileTypes: ['heap', 'cpu'] })
    expect([console_, silent, heap].map(canCapture)).toEqual([false, true, true])
    expect([console_, silent, heap].map(each => records(each, 'heap'))).toEqual([false, true, true])
    expect([records(heap, 'wall'), records(silent, 'wall')]).toEqual([false, true])
    expect(typesOf([console_, silent, heap])).toEqual(['cpu', 'heap'])
  })
})
