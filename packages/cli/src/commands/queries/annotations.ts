// `hearth annotations`: deployments and notes on the time axis of the UI's charts.
import type { Annotation, HearthClient } from '@hearth/client'
import { formatTime } from '@hearth/profile'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { examples } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { table } from '../../terminal/table.ts'

interface ServerOptions extends RemoteOptions {
  readonly server: string
  readonly json?: boolean
}

interface AddOptions extends ServerOptions {
  readonly kind: 'deploy' | 'note'
  readonly service?: string
  readonly at?: string
}

interface ListOptions extends ServerOptions {
  readonly service?: string
  readonly from?: string
  readonly to?: string
}

export function addAnnotations(program: Command, context: Context): void {
  const annotations = program
    .command('annotations')
    .summary('mark deployments and notes on charts')
    .description('An annotation marks a time on every chart of the UI: a deployment, or a note.')
  const one = (command: Command): Command =>
    addRemoteOptions(command.option('--server <url>', "the server's main address", MAIN_SERVER)).option(
      '--json',
      "print the server's response as JSON",
    )
  one(
    annotations
      .command('add')
      .summary('add an annotation')
      .description('Adds an annotation. The token needs the scope write.')
      .argument('<text>', 'such as v1.4.2')
      .addOption(new Option('--kind <kind>', 'the kind').choices(['deploy', 'note']).default('note'))
      .option('--service <name>', 'only for this service')
      .option('--at <time>', 'RFC 3339 or relative, such as now-5m; default: now'),
  )
    .addHelpText(
      'after',
      examples([
        'hearth annotations add v1.4.2 --kind deploy --service checkout',
        'mark a deployment that is finished',
      ]),
    )
    .action(async (text: string, { kind, service, at, ...options }: AddOptions) => {
      const request = {
        text,
        kind,
        ...(service === undefined ? {} : { service }),
        ...(at === undefined ? {} : { time: at }),
      }
      const added = await during(options, context, client => client.act('addAnnotation', request))
      if (options.json === true) await printJson(context.stdout, added)
      else await printLines(context.stdout, [`added ${added.id} at ${formatTime(BigInt(added.time))}`])
    })
  one(
    annotations
      .command('list')
      .summary('list annotations')
      .description('Lists the annotations of a time range.')
      .option('--service <name>', 'only those of this service and of all services')
      .option('--from <time>', 'start of the range', 'now-30d')
      .option('--to <time>', 'end of the range', 'now'),
  ).action(async ({ service, from, to, ...options }: ListOptions) => {
    const request = {
      ...(service === undefined ? {} : { service }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    }
    const response = await during(options, context, client => client.act('annotations', request))
    if (options.json === true) await printJson(context.stdout, response)
    else await printLines(context.stdout, rowsOf(response.annotations))
  })
  one(
    annotations
      .command('remove')
      .summary('delete an annotation')
      .description('Deletes an annotation.')
      .argument('<id>', 'the id that `list` shows'),
  ).action(async (id: string, options: ServerOptions) => {
    const response = await during(options, context, client => client.act('removeAnnotation', {}, { of: id }))
    if (options.json === true) await printJson(context.stdout, response)
    else await printLines(context.stdout, [`removed ${response.removed}`])
  })
}

function rowsOf(annotations: readonly Annotation[]): readonly string[] {
  if (annotations.length === 0) return ['no annotations in this range']
  return table(
    ['time', 'kind', 'service', 'text', 'by', 'id'].map(title => ({ title })),
    annotations.map(({ time, kind, service, text, by, id }) => [
      formatTime(BigInt(time)),
      kind,
      printable(service === '' ? '(all)' : service),
      printable(text),
      printable(by),
      id,
    ]),
  )
}

async function during<T>(
  options: ServerOptions,
  context: Context,
  request: (client: HearthClient) => Promise<T>,
): Promise<T> {
  const client = await connect(options.server, '--server', options, context)
  try {
    return await context.progress.during(`querying ${client.server}`, request(client))
  } catch (error) {
    throw aboutServer(error, { option: '--server' })
  }
}
