// `hearth mcp`: the server's data for assistants, over standard input and output.
import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { examples } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, addRemoteOptions, connect } from '../../remote/remote.ts'

interface McpCommandOptions extends RemoteOptions {
  readonly server: string
  readonly capture?: boolean
}

export function addMcp(program: Command, context: Context, version: string): void {
  const command = program
    .command('mcp')
    .summary('tools for assistants over the Model Context Protocol')
    .description(
      'Serves tools, resources and prompts over standard input and output: services, flame graphs, top functions, diffs, regressions, ' +
        'alerts, traces, ledgers, source lines and logs of a server. Responses are limited in length and say what was cut. ' +
        'Nothing is changed, unless --capture allows captures.',
    )
    .option('--capture', 'allow assistants to capture profiles, if the token may')
  addRemoteOptions(command.option('--server <url>', "the server's main address", MAIN_SERVER))
    .addHelpText(
      'after',
      examples(
        ['hearth mcp', 'the server on this machine'],
        [
          'claude mcp add hearth -- npx hearth mcp --server https://hearth.example',
          'in an assistant, with HEARTH_TOKEN set',
        ],
      ),
    )
    .action(async (options: McpCommandOptions) => {
      const client = await connect(options.server, '--server', options, context)
      const { serveStdio } = await import('@hearth/mcp')
      await serveStdio({ client, version, mayCapture: options.capture === true })
    })
}
