// `hearth push FILE…`: sends profiles of any format to a server.
import { basename } from 'node:path'
import type { PushResponse } from '@hearth/client'
import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { countOf } from '../../terminal/count-text.ts'
import { shownName } from '../../errors.ts'
import { knownFormat } from '../../files/format-name.ts'
import { checkInputs, readStored } from '../../files/open-input.ts'
import { printNotes } from '../../terminal/notes.ts'
import { examples, namedValues } from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'

interface PushCommandOptions extends RemoteOptions {
  readonly to: string
  readonly service?: string
  readonly attribute?: Readonly<Record<string, string>>
  readonly from?: string
  readonly generation?: string
  readonly json?: boolean
}

const SERVER = 'http://127.0.0.1:4318'

export function addPush(program: Command, context: Context): void {
  const command = program
    .command('push')
    .summary('send files to a server')
    .description(
      'Sends profiles of any format that can be read to a Hearth server. The server ignores a file that it already has, with ' +
        'the same options. The first rejected file ends the command; files before it are stored.',
    )
    .argument('<file...>', 'profiles in any format; `-` is standard input')
    .option('--to <url>', "the server's address for OTLP over HTTP", SERVER)
    .option('--service <name>', 'service.name of the profiles; required if a file contains none')
    .option('--attribute <key=value>', 'resource attribute, such as region=eu; repeatable', namedValues)
    .option('--from <format>', 'read as this format instead of recognising it (see `hearth formats`)')
    .option('--generation <generation>', 'read as this generation of the format, such as v1.8 for otlp')
  addRemoteOptions(command)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        ['hearth push cpu.pb.gz --service checkout', 'to this machine'],
        [
          'hearth push *.jfr --to https://hearth:4318 --attribute region=eu',
          'to another server, with a token in HEARTH_TOKEN',
        ],
        ['perf script | hearth push - --service db', 'the output of another command'],
      ),
    )
    .action(async (files: readonly string[], options: PushCommandOptions) => push(files, options, context))
}

async function push(files: readonly string[], options: PushCommandOptions, context: Context): Promise<void> {
  checkInputs(files)
  const { to, service, attribute: attributes = {}, generation, json } = options
  const format = options.from === undefined ? undefined : knownFormat(options.from, 'read').name
  const client = await connect(to, '--to', options, context)
  const pushed: ({ readonly file: string } & PushResponse)[] = []
  for (const [i, file] of files.entries()) {
    const name = shownName(file)
    context.progress.say(`reading ${i + 1} of ${files.length}: ${name}`)
    const bytes = await readStored(file, context)
    const sent = {
      attributes,
      ...(service === undefined ? {} : { service }),
      ...(format === undefined ? {} : { format }),
      ...(generation === undefined ? {} : { generation }),
      ...(file === '-' ? {} : { name: basename(file) }),
    }
    let response: PushResponse
    try {
      const sending = client.push(new Uint8Array(bytes), sent)
      response = await context.progress.during(`sending ${i + 1} of ${files.length}: ${name}`, sending)
    } catch (error) {
      throw aboutServer(error, { option: '--to', file: name })
    }
    await printNotes(context, name, response.notes)
    pushed.push({ file: name, ...response })
    if (json === true) continue
    context.progress.done()
    const { profiles, samples } = response
    const counts = `${countOf(profiles, 'profile')}, ${countOf(samples, 'sample')}`
    await printLines(context.stdout, [printable(`${name}: ${response.format}, ${counts}`)])
  }
  context.progress.done()
  if (json === true) await printJson(context.stdout, { pushed })
}
