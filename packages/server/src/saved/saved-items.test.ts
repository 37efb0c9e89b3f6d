import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { annotationsIn } from './annotation.ts'
import { SavedItems, TooManyItemsError } from './saved-items.ts'
import type { SavedView } from './saved-view.ts'
import { savedView } from './saved-view.ts'

const VIEW = { name: 'Slow checkout', address: 'explore?service=checkout', created: '2026-11-18T15:00:00Z', by: 'ann' }

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'hearth-saved-'))))
afterEach(() => rmSync(directory, { recursive: true }))

const open = (max = 10): SavedItems<SavedView> => new SavedItems({ directory, name: 'views', schema: savedView, max })

describe('SavedItems', () => {
  it('keeps items per tenant, also after a restart', async () => {
    const items = open()
    const [first, second] = await Promise.all([
      items.add('default', VIEW),
      items.add('default', { ...VIEW, name: 'Other' }),
    ])
    await items.add('staging', VIEW)
    expect(open().list('default')).toEqual([first, second])
    expect(open().list('staging')).toHaveLength(1)
    expect(open().list('nobody')).toEqual([])
  })

  it('removes an item, and reports an unknown one', async () => {
    const items = open()
    const { id } = await items.add('default', VIEW)
    expect(await items.remove('staging', id)).toBe(false)
    expect(await items.remove('default', id)).toBe(true)
    expect(await items.remove('default', id)).toBe(false)
    expect(open().list('default')).toEqual([])
  })

  it('rejects more items than the limit', async () => {
    const items = open(1)
    await items.add('default', VIEW)
    await expect(items.add('default', VIEW)).rejects.toThrow(TooManyItemsError)
    expect(items.list('default')).toHaveLength(1)
  })

  it('uses the previous version of a damaged file', async () => {
    const items = open()
    const first = await items.add('default', VIEW)
    await items.add('default', VIEW)
    writeFileSync(join(directory, 'views-default.json'), '{ "check": 1, "content": [] }')
    expect(open().list('default')).toEqual([first])
  })
})

describe('annotationsIn', () => {
  it('returns the annotations of the service and of all services, by time', () => {
    const at = (time: string, service: string) => ({
      id: time,
      text: 'v2',
      kind: 'deploy' as const,
      service,
      time,
      created: VIEW.created,
      by: '',
    })
    const all = [at('30', ''), at('10', 'checkout'), at('20', 'search'), at('40', 'checkout')]
    expect(annotationsIn(all, { from: 10n, to: 40n, service: 'checkout' }).map(each => each.time)).toEqual(['10', '30'])
    expect(annotationsIn(all, { from: 0n, to: 100n }).map(each => each.time)).toEqual(['10', '20', '30', '40'])
  })
})
