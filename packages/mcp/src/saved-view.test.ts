import { describe, expect, it } from 'vitest'
import { callOfView } from './saved-view.ts'

describe('callOfView', () => {
  it('turns views of profiles into selectors', () => {
    const address = 'explore?service=shop&type=cpu%3Ans&where=region%3Deu&stack=frame%3Dgc&from=now-3h&view=table'
    expect(callOfView(address)).toEqual({
      tool: 'flame_graph',
      input: { selector: 'cpu:ns{resource:service.name="shop", region="eu"} | frame "gc"', from: 'now-3h', to: 'now' },
    })
    expect(callOfView('function?service=shop&type=cpu%3Ans&name=parse').input['selector']).toBe(
      'cpu:ns{resource:service.name="shop"} | frame "parse"',
    )
    expect(callOfView('compare?a.service=shop&a.type=cpu%3Ans&b.service=shop&b.type=cpu%3Ans')).toEqual({
      tool: 'diff',
      input: {
        selector: 'cpu:ns{resource:service.name="shop"}',
        from: 'now-1h',
        to: 'now',
        beforeSelector: 'cpu:ns{resource:service.name="shop"}',
        beforeFrom: 'now-2h',
        beforeTo: 'now-1h',
      },
    })
  })

  it('turns searches into the tools for traces, ledgers and logs', () => {
    expect(callOfView('traces?service=shop&min=500ms&where=region%3Deu')).toEqual({
      tool: 'traces',
      input: { service: 'shop', selector: '{region="eu"}', minDuration: '500ms' },
    })
    expect(callOfView('operation?name=GET+%2Fsearch&service=shop')).toEqual({
      tool: 'time_ledger',
      input: { operation: 'GET /search', service: 'shop' },
    })
    expect(callOfView('trace?id=ab')).toEqual({ tool: 'time_ledger', input: { traceId: 'ab' } })
    expect(callOfView('logs?text=timeout&severity=warn&from=now-1d')).toEqual({
      tool: 'logs',
      input: { from: 'now-1d', text: 'timeout', severity: 'warn' },
    })
    expect(callOfView('status')).toEqual({ tool: '', input: {} })
  })
})
