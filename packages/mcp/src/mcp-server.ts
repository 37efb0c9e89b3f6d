// The tools, resources and prompts of one caller.
import type { HearthClient } from '@hearth/client'
import { ApiError } from '@hearth/client'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { callOfView } from './saved-view.ts'
import { profileTools } from './tools/profile-tools.ts'
import { signalTools } from './tools/signal-tools.ts'

export interface McpOptions {
  /** The client acts for the caller: with the caller's token and tenant. */
  readonly client: HearthClient
  readonly version: string
  /** Whether the caller may start captures. */
  readonly mayCapture: boolean
}

/** Ready-made queries for a service. */
const VIEWS = {
  cpu: {
    title: 'CPU by function',
    selector: (service: string) => `cpu:ns{service.name=${JSON.stringify(service)}}`,
    tool: 'flame_graph',
  },
  top: {
    title: 'Functions by CPU',
    selector: (service: string) => `cpu:ns{service.name=${JSON.stringify(service)}}`,
    tool: 'top',
  },
} as const

const TOOLS = [...profileTools, ...signalTools]

export function createMcpServer({ client, version, mayCapture }: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'hearth', title: 'Hearth', version },
    {
      instructions:
        'Profiles, traces and logs of services. Begin with list_services or regressions. Selectors look like cpu:ns{service.name="shop"}. ' +
        'Times look like now-1h. Responses are limited by maxTokens and say what was cut.',
    },
  )
  for (const tool of TOOLS) {
    if (tool.acts === true && !mayCapture) continue
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        annotations: { readOnlyHint: tool.acts !== true, destructiveHint: false, openWorldHint: false },
      },
      async (input: unknown, { signal }: { readonly signal: AbortSignal }) => {
        try {
          return { content: [{ type: 'text' as const, text: await tool.run(client, input as never, signal) }] }
        } catch (error) {
          // The assistant can correct its request. Other errors are faults of this program.
          if (!(error instanceof ApiError)) throw error
          return { isError: true, content: [{ type: 'text' as const, text: error.message }] }
        }
      },
    )
  }
  addServiceViews(server, client)
  addSavedViews(server, client)
  addPrompts(server)
  return server
}

function addServiceViews(server: McpServer, client: HearthClient): void {
  const template = new ResourceTemplate('hearth://view/{service}/{view}', {
    list: async () => {
      const { services } = await client.query('services', {})
      return {
        resources: services.slice(0, 100).flatMap(({ service }) =>
          Object.entries(VIEWS).map(([view, { title }]) => ({
            uri: `hearth://view/${encodeURIComponent(service)}/${view}`,
            name: `${service} ${view}`,
            title: `${service}: ${title}, last hour`,
            mimeType: 'text/plain',
          })),
        ),
      }
    },
  })
  server.registerResource(
    'view',
    template,
    {
      title: 'Views of services',
      description: 'Ready-made queries of each service over the last hour',
      mimeType: 'text/plain',
    },
    async (uri, variables, { signal }) => {
      const name = String(variables['view']) as keyof typeof VIEWS
      const view = VIEWS[name]
      const service = decodeURIComponent(String(variables['service']))
      const tool = profileTools.find(each => each.name === view?.tool)
      if (tool === undefined) throw new Error(`unknown view ${name}; there are ${Object.keys(VIEWS).join(' and ')}`)
      const text = await tool.run(client, { selector: view.selector(service) } as never, signal)
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] }
    },
  )
}

/** Views that people saved in the UI, as the response of the tool that shows the same. */
function addSavedViews(server: McpServer, client: HearthClient): void {
  const template = new ResourceTemplate('hearth://saved/{id}', {
    list: async () => {
      const { views } = await client.act('views', {})
      return {
        resources: views.map(({ id, name, address, by }) => ({
          uri: `hearth://saved/${encodeURIComponent(id)}`,
          name,
          description: `${address} (saved by ${by})`,
          mimeType: 'text/plain',
        })),
      }
    },
  })
  server.registerResource(
    'saved',
    template,
    { title: 'Saved views', description: 'Views that people saved in the UI', mimeType: 'text/plain' },
    async (uri, variables, { signal }) => {
      const id = decodeURIComponent(String(variables['id']))
      const view = (await client.act('views', {}, { signal })).views.find(each => each.id === id)
      if (view === undefined) throw new Error(`unknown view ${id}; list the resources again`)
      const { tool: name, input } = callOfView(view.address)
      const tool = TOOLS.find(each => each.name === name)
      const text =
        tool === undefined
          ? `The view ${view.address} has no text form. Tools return parts of it.`
          : `${name} ${JSON.stringify(input)}\n${await tool.run(client, input as never, signal)}`
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] }
    },
  )
}

function addPrompts(server: McpServer): void {
  const say = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] })
  server.registerPrompt(
    'why_is_this_slow',
    {
      title: 'Why is this slow?',
      description: 'Finds where a service spends its time',
      argsSchema: { service: z.string(), operation: z.string().optional() },
    },
    ({ service, operation }) =>
      say(
        `Find out why ${operation === undefined ? 'requests' : operation} of the service ${service} are slow. ` +
          'Use traces to find slow requests, time_ledger to see what they wait for, and flame_graph and source_lines for the CPU they use. ' +
          'State shares with their numbers of samples, name functions and lines, and say what the data does not show.',
      ),
  )
  server.registerPrompt(
    'what_changed',
    {
      title: 'What changed?',
      description: 'Compares a service with an earlier time or version',
      argsSchema: { service: z.string(), since: z.string().optional() },
    },
    ({ service, since }) =>
      say(
        `What changed in the service ${service}${since === undefined ? '' : ` since ${since}`}? Use regressions first. ` +
          'Then use diff between the versions or times. Report only changes with q below 0.05, with their intervals, and state the ' +
          'smallest change that could have been seen.',
      ),
  )
}
