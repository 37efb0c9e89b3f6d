// `hearth components`: who is subscribed to a server's Broker, and can be asked for profiles.
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
    .summary('show who can be asked for profiles')
    .description(
      'Lists the processes that are subscribed to the Broker of a server now: what they can record, how far they can look ' +
        'back, and what they have to do.',
    )
    .argument('[service]', 'only those of this service')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--environment <name>', 'only those of this deployment.environment.name')
    .option('--routes', 'the rules by which events find them, too')
  addRemoteOptions(command)
    .option('--json', "for scripts: the server's answer as it is")
    .addHelpText(
      'after',
      examples(
        ['hearth components', 'all of them'],
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
    const asked = client.act('components', request)
    const answer = await context.progress.during(`asking ${client.server}`, asked)
    context.progress.done()
    if (json) return await printJson(context.stdout, answer)
    await printLines(context.stdout, [
      ...(answer.components.length === 0
        ? [nobodyText(service, environment)]
        : componentLines(answer.components, context.width)),
      ...(routes ? routeLines(answer.components, context.width) : []),
      ...brokerLines(answer),
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
    { title: 'LOOKS BACK', align: 'right' },
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

function nobodyText(service: string | undefined, environment: string | undefined): string {
  const of = service === undefined ? '' : ` of ${JSON.stringify(service)}`
  const where = environment === undefined ? '' : ` in ${JSON.stringify(environment)}`
  return `no process${of} is subscribed${where}`
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
    ...(defaultHandler ? [[service, '', '', 'what no rule matches']] : []),
  ])
  // Replicas have the same ones.
  const different = [...new Map(rows.map(row => [row.join('\0'), row.map(printable)])).values()]
  return different.length === 0 ? [] : ['', ...table(columns, different, width)]
}

/** Where there are several Brokers, how they are. */
function brokerLines({ broker: { mesh } }: ComponentsResponse): string[] {
  if (mesh.kind === 'local') return []
  const others = mesh.connected ? `${countOf(mesh.peers.length, 'other Broker')} by NATS` : 'other Brokers are lost'
  return ['', printable(`${others}: ${mesh.message}`)]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
