import { createEvent } from '@hearth/broker'
import { expect, test } from 'vitest'
import type { Member } from './member.ts'
import { PendingRequests, LocalRequester } from './pending-requests.ts'

test('PendingRequests keeps only the parts of a request that are needed later', () => {
  const requests = new PendingRequests()
  const member = { component: { id: 'i' }, unanswered: new Set() } as unknown as Member
  const request = createEvent({
    type: 'profiling.capture',
    content: new Uint8Array(1000),
    params: { capture_id: 'c', reason: 'x'.repeat(10_000), labels: { a: ['b'] } },
    values: { path: '/profiles/cpu', header: {} },
  })
  const pending = requests.open(
    request,
    { requester: new LocalRequester(() => {}), member, since: 0 },
    60_000,
    () => {},
  )
  expect(pending.request).toEqual({ ...request, content: new Uint8Array(0), params: { capture_id: 'c' }, values: {} })
  requests.close(pending, true)
  expect([requests.size, member.unanswered.size]).toEqual([0, 0])
  // A late response is still accepted, once.
  expect(requests.get(request.id)).toBe(pending)
  expect(requests.takeLate(request.id, member)).toBe(pending)
  expect(requests.get(request.id)).toBeUndefined()
})
