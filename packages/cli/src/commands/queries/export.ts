// `hearth export`: writes stored profiles, traces, logs or metrics to a file.
import type { ExportRequest } from '@hearth/client'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { shownName } from '../../errors.ts'
import { checkWritable, outputFormat, signalFormat } from '../../files/format-name.ts'
import { checkOutput, outputPieces, writePieces } from '../../terminal/output.ts'
import { printNotes } from '../../terminal/notes.ts'
import { examples } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'

const SIGNALS = ['profiles', 'traces', 'logs', 'metrics'] as const

interface ExportOptions extends RemoteOptions {
  readonly server: string
  readonly signal: (typeof SIGNALS)[number]
  readonly from?: string
  readonly to?: string
  readonly format?: string
  readonly output: string
}

export function addExport(program: Command, context: Context): void {
  const command = program
    .command('export')
    .summary('write stored profiles, traces, logs or metrics to a file')
    .description('Writes the selected profiles, traces, logs or metrics of a server to a file, as they were received.')
    .argument('[selector]', `such as 'cpu {region="eu"}' for profiles, '{region="eu"}' for other signals`)
    .addOption(new Option('--signal <signal>', 'what to export').choices(SIGNALS).default('profiles'))
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option(
      '--from <time>',
      'start of the range: 2026-11-15T14:00:00Z, a Unix time, or relative to now; default: now-1h',
    )
    .option('--to <time>', 'end of the range; default: now')
    .option(
      '--format <format>',
      'otlp or otlp-json, and for profiles any format that can be written; default: by the extension of the file, or otlp',
    )
    .requiredOption('-o, --output <file>', 'the file to write; `-` is standard output')
  addRemoteOptions(command)
    .addHelpText(
      'after',
      examples(
        ['hearth export --signal traces -o traces.otlp', 'the traces of the last hour'],
        [`hearth export '{service.name="checkout"}' --signal logs -o logs.otlp.json`, 'logs of a service as JSON'],
        ['hearth export cpu --from now-1d -o cpu.pb.gz', 'CPU profiles of a day as pprof'],
      ),
    )
    .action(async (selector: string | undefined, options: ExportOptions) => {
      await writeExport(selector ?? '', options, context)
    })
}

async function writeExport(selector: string, options: ExportOptions, context: Context): Promise<void> {
  const { signal, output, from, to } = options
  checkOutput(output, [])
  const request: ExportRequest = {
    format: formatOf(options),
    ...(signal === 'profiles' ? {} : { signal }),
    ...(selector === '' ? {} : { selector }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
  const client = await connect(options.server, '--server', options, context)
  try {
    const { pieces, notes } = await context.progress.during(`querying ${client.server}`, client.exportPieces(request))
    context.progress.done()
    await printNotes(context, shownName(output, 'standard output'), notes)
    await writePieces(output, outputPieces(output, pieces, context.stdout), context.stdout)
  } catch (error) {
    throw aboutServer(error, { option: '--server', selector })
  }
}

function formatOf({ signal, format, output }: ExportOptions): string {
  if (signal === 'profiles') {
    const wanted = outputFormat(output, format, '--format')
    checkWritable(wanted)
    return wanted.name
  }
  return signalFormat(signal, output, format, '--format')
}
