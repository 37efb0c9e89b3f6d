import { createEvent } from '@hearth/broker'
import { expect, test } from 'vitest'
import type { Member } from './group.ts'
import { PendingRequests, Waiter } from './pending-requests.ts'

test('of a request only what is needed is kept, however large it was', () => {
  const requests = new PendingRequests()
  const member = { component: { id: 'i' }, unanswered: new Set() } as unknown as Member
  const request = createEvent({
    type: 'profiling.capture',
    content: new Uint8Array(1000),
    params: { capture_id: 'c', reason: 'x'.repeat(10_000), labels: { a: ['b'] } },
    values: { path: '/profiles/cpu', header: {} },
  })
  const pending = requests.open(request, { asker: new Waiter(() => {}), member, since: 0 }, 60_000, () => {})
  expect(pending.request).toEqual({ ...request, content: new Uint8Array(0), params: { capture_id: 'c' }, values: {} })
  requests.close(pending, true)
  expect([requests.size, member.unanswered.size]).toEqual([0, 0])
  // It may still be answered, once.
  expect(requests.get(request.id)).toBe(pending)
  expect(requests.takeLate(request.id, member)).toBe(pending)
  expect(requests.get(request.id)).toBeUndefined()
})
