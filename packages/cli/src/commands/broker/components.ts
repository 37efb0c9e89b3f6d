// `hearth components`: lists the components that are connected to a server's Broker.
import type { ComponentRow, ComponentsResponse } from '@hearth/client'
import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { countOf } from '../../terminal/count-text.ts'
import { examples } from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'
import { table } from '../../terminal/table.ts'

interface ComponentsOptions extends RemoteOptions {
  readonly server: string
  readonly environment?: string
  readonly routes?: boolean
  readonly json?: boolean
}

export function addComponents(program: Command, context: Context): void {
  const command = program
    .command('components')
    .summary('list processes that can be captured')
    .description(
      'Lists the components that are connected to the Broker of a server: the types they record, how far back they can ' +
        'capture, and their load.',
    )
    .argument('[service]', 'only components of this service')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--environment <name>', 'only components of this deployment.environment.name')
    .option('--routes', 'show their routing rules too')
  addRemoteOptions(command)
    .option('--json', "print the server's response as JSON")
    .addHelpText(
      'after',
      examples(
        ['hearth components', 'all components'],
        ['hearth components checkout --environment eu', 'the instances of one service'],
      ),
    )
    .action(async (service: string | undefined, options: ComponentsOptions) => {
      await showComponents(service, options, context)
    })
}

async function showComponents(
  service: string | undefined,
  { environment, routes = false, json = false, ...options }: ComponentsOptions,
  context: Context,
): Promise<void> {
  const client = await connect(options.server, '--server', options, context)
  const request = {
    ...(service === undefined ? {} : { service }),
    ...(environment === undefined ? {} : { environment }),
  }
  try {
    const pending = client.act('components', request)
    const response = await context.progress.during(`querying ${client.server}`, pending)
    context.progress.done()
    if (json) return await printJson(context.stdout, response)
    await printLines(context.stdout, [
      ...(response.components.length === 0
        ? [noComponentsText(service, environment)]
        : componentLines(response.components, context.width)),
      ...(routes ? routeLines(response.components, context.width) : []),
      ...brokerLines(response),
    ])
  } catch (error) {
    throw aboutServer(error, { option: '--server' })
  }
}

function componentLines(components: readonly ComponentRow[], width: number | undefined): string[] {
  const columns = [
    { title: 'SERVICE', flexible: true },
    { title: 'INSTANCE', flexible: true },
    { title: 'ENVIRONMENT' },
    { title: 'VERSION' },
    { title: 'RECORDS', flexible: true },
    { title: 'LOOK-BACK', align: 'right' },
    { title: 'DOES' },
    { title: 'SINCE' },
    { title: 'AT' },
  ] as const
  const rows = components
    .toSorted((a, b) => compare(a.service, b.service) || compare(a.instance, b.instance))
    .map(
      ({ component, service, instance, environment, profileTypes, lookBackSeconds, load, since, remote, capturing }) =>
        [
          component.app === '' ? service : `${component.app}/${service}`,
          instance,
          environment,
          component.hash.slice(0, SHORT),
          profileTypes.join(', '),
          lookBackSeconds === undefined ? '' : `${lookBackSeconds} s`,
          loadText(load, capturing),
          since.replace('T', ' ').replace(/\.\d+Z$/, ''),
          remote ? component.brokerId : '',
        ].map(printable),
    )
  return table(columns, rows, width)
}

function noComponentsText(service: string | undefined, environment: string | undefined): string {
  const of = service === undefined ? '' : ` for service ${JSON.stringify(service)}`
  const where = environment === undefined ? '' : ` in environment ${JSON.stringify(environment)}`
  return `no components connected${of}${where}`
}

const SHORT = 12

function loadText({ inFlight, queued, dropped }: ComponentRow['load'], capturing: boolean): string {
  const parts = [
    ...(capturing ? ['a capture'] : []),
    ...(inFlight > (capturing ? 1 : 0) ? [countOf(inFlight, 'request')] : []),
    ...(queued > 0 ? [`${queued} waiting`] : []),
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
  ]
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

function routeLines(components: readonly ComponentRow[], width: number | undefined): string[] {
  const columns = [
    { title: 'SERVICE' },
    { title: 'ROUTE', align: 'right' },
    { title: 'PRIORITY', align: 'right' },
    { title: 'RULE', flexible: true },
  ] as const
  const rows = components.flatMap(({ service, routes, defaultHandler }) => [
    ...routes.map(({ id, rule, priority }) => [service, `${id}`, `${priority}`, rule]),
    ...(defaultHandler ? [[service, '', '', 'events that match no rule']] : []),
  ])
  // Replicas have the same rules.
  const different = [...new Map(rows.map(row => [row.join('\0'), row.map(printable)])).values()]
  return different.length === 0 ? [] : ['', ...table(columns, different, width)]
}

/** The state of the connection to other Brokers. */
function brokerLines({ broker: { mesh } }: ComponentsResponse): string[] {
  if (mesh.kind === 'local') return []
  const others = mesh.connected
    ? `${countOf(mesh.peers.length, 'other Broker')} over NATS`
    : 'disconnected from other Brokers'
  return ['', printable(`${others}: ${mesh.message}`)]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
