// `hearth mcp` and `/mcp` with the client of the protocol's own SDK.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HearthClient } from '@hearth/client'
import { writeProfile } from '@hearth/profile'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { BUILT_HEARTH } from '../../testing/built-command.ts'
import { afterProfiles } from '../../testing/example-profiles.ts'
import { runHearth } from '../../testing/run-hearth.ts'
import type { Serving } from '../../testing/serving.ts'
import { startServing } from '../../testing/serving.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-mcp-'))
let served: Serving

beforeAll(async () => {
  served = await startServing(join(folder, 'data'))
  const file = join(folder, 'after.otlp')
  writeFileSync(file, writeProfile(afterProfiles(BigInt(Date.now()) * 1_000_000n), 'otlp').bytes)
  await push(file)
  const hearth = new HearthClient({ server: served.main })
  await hearth.act('addView', { name: 'CPU of web', address: 'explore?service=web&type=cpu%3Ans' })
  await hearth.act('addView', { name: 'Settings', address: 'status' })
})
afterAll(async () => {
  await served.stop()
  rmSync(folder, { recursive: true })
})

async function push(file: string): Promise<void> {
  expect(await runHearth(['push', file, '--to', served.otlp])).toMatchObject({ status: 0 })
  const query = ['query', 'cpu {service.name="web"}', '--server', served.main]
  await vi.waitFor(async () => expect((await runHearth(query)).stdout).toContain('7.00 s'), { timeout: 60_000 })
}

async function textOf(client: Client, name: string, input: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: input })
  return (content as readonly { readonly text: string }[])[0].text
}

describe.each([
  [
    'hearth mcp',
    () =>
      new StdioClientTransport({
        command: process.execPath,
        args: [BUILT_HEARTH, 'mcp', '--server', served.main],
        stderr: 'inherit',
      }),
    false,
  ],
  ['/mcp', () => new StreamableHTTPClientTransport(new URL('/mcp', served.main)), true],
] as const)('%s', (_name, transport, mayCapture) => {
  const client = new Client({ name: 'test', version: '1' })

  beforeAll(async () => client.connect(transport() as Parameters<typeof client.connect>[0]))
  afterAll(async () => client.close())

  it('lists tools, and captures only if they are allowed', async () => {
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'list_services',
        'list_profile_types',
        'flame_graph',
        'top',
        'diff',
        'regressions',
        'alerts',
        'traces',
        'time_ledger',
        'logs',
        'source_lines',
      ]),
    )
    expect(names.includes('capture')).toBe(mayCapture)
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)).toEqual(
      mayCapture ? ['capture'] : [],
    )
  })

  it('responds to queries as text', async () => {
    expect(await textOf(client, 'list_services')).toContain('cpu:ns')
    expect(await textOf(client, 'list_profile_types')).toMatch(/^cpu:ns \(1 profiles\)/m)
    expect(await textOf(client, 'flame_graph', { selector: 'cpu:ns{}' })).toMatch(
      /^cpu:ns, total 7\.50 s.*\n93\.3% main /,
    )
    expect(await textOf(client, 'top', { selector: 'cpu:ns{}' })).toContain('Columns: self, total, function, file')
    expect(await textOf(client, 'regressions')).toContain('No open findings.')
    expect(await textOf(client, 'traces')).toBe('No traces match in this range.')
    expect(await textOf(client, 'time_ledger')).toContain('Either traceId or operation is required')
    expect(await textOf(client, 'logs')).toBe('No log records match in this range.')
    expect(await textOf(client, 'diff', { selector: 'cpu:ns{}' })).toContain('Nothing can be compared')
  })

  it('limits the length of responses and says what was cut', async () => {
    const text = await textOf(client, 'top', { selector: 'cpu:ns{}', maxTokens: 100 })
    expect(text.length).toBeLessThanOrEqual(400)
    expect(text).toMatch(/1 more line was cut/)
  })

  it('returns errors that the assistant can correct', async () => {
    const result = await client.callTool({ name: 'top', arguments: { selector: 'cpu:ns{' } })
    expect(result.isError).toBe(true)
  })

  it('has views of services and saved views as resources, and prompts', async () => {
    const { resources } = await client.listResources()
    const textIn = async (name: string): Promise<string> => {
      const { uri } = resources.find(resource => resource.name === name) ?? resources[0]
      const [content] = (await client.readResource({ uri })).contents
      return (content as { readonly text: string }).text
    }
    expect(await textIn('web cpu')).toMatch(/^cpu:ns, total 7\.00 s/)
    expect(await textIn('CPU of web')).toMatch(/^flame_graph \{"selector":"cpu:ns.*\n.*cpu:ns, total 7\.00 s/)
    expect(await textIn('Settings')).toBe('The view status has no text form. Tools return parts of it.')
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['why_is_this_slow', 'what_changed'])
    const { messages } = await client.getPrompt({ name: 'what_changed', arguments: { service: 'web' } })
    expect(JSON.stringify(messages)).toContain('the service web')
  })
})
