import { describe, expect, it } from 'vitest'
import { receiversAt } from './receivers.ts'
import { withToken } from './snippet.ts'
import { SNIPPETS } from './snippets.ts'

const stated = [
  { name: 'API and Pyroscope', host: '127.0.0.1', port: 5040, tls: false },
  { name: 'OTLP over gRPC', host: '127.0.0.1', port: 5317, tls: true },
  { name: 'OTLP over HTTP and pushes', host: '127.0.0.1', port: 5318, tls: true },
]

describe('receiversAt', () => {
  it('uses the ports and the encryption that the server states', () => {
    expect(receiversAt('hearth.example', stated, 'https://hearth.example/', false)).toEqual({
      main: 'https://hearth.example',
      otlpHttp: 'https://hearth.example:5318',
      otlpGrpc: 'hearth.example:5317',
      grpcTls: true,
      needsToken: false,
    })
  })

  it('uses the default ports if the server states none, and brackets for IPv6', () => {
    expect(receiversAt('::1', [], 'http://[::1]:4040/', false)).toMatchObject({
      otlpHttp: 'http://[::1]:4318',
      otlpGrpc: '[::1]:4317',
    })
  })
})

describe('SNIPPETS', () => {
  it.each(SNIPPETS)('name the token in $title only if the server requires one', ({ text }) => {
    const at = receiversAt('127.0.0.1', stated, 'http://127.0.0.1:5040/', false)
    expect(text(at)).not.toContain('TOKEN')
    expect(text({ ...at, needsToken: true })).toContain('HEARTH_TOKEN')
    expect(text(at)).toMatch(/:5318|:5317|:5040/)
  })

  it.each(SNIPPETS)('contain a token that was created in $title', ({ text }) => {
    const at = receiversAt('127.0.0.1', stated, 'http://127.0.0.1:5040/', true)
    const complete = withToken(text(at), 'hearth_1')
    expect(complete).toContain('hearth_1')
    expect(complete).not.toMatch(/=…|HEARTH_TOKEN(?!=hearth_1)/)
  })
})
