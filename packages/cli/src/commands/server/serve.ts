// `hearth serve`: runs the server. Settings are flags, environment variables or lines of a file. One list defines them all.
import { Option } from 'commander'
import type { Command } from 'commander'
import type { SettingName } from '@hearth/server/administration'
import { SETTING_NAMES, settings } from '@hearth/server/administration'
import type { Context } from '../../context.ts'
import { examples } from '../../options.ts'
import { runServer } from './run-server.ts'

export function addServe(program: Command, context: Context, version: string): void {
  const command = program
    .command('serve')
    .summary('run the server')
    .description(
      'Runs the server: receives profiles, traces, logs and metrics over OTLP, stores them, and serves the API and the UI. ' +
        'Every option has an environment variable, such as HEARTH_OTLP_GRPC_PORT for --otlp-grpc-port, and can be set in the ' +
        '--config file. Options override variables, and variables override the file. See docs/server.md.',
    )
    .option('--config <file>', 'YAML file with settings, such as `port: 4040`')
  for (const name of SETTING_NAMES) command.addOption(settingOption(name))
  command
    .addHelpText(
      'after',
      examples(
        ['hearth serve', 'for this machine only, data in ./hearth-data'],
        ["hearth serve --retention '30d profiles=7d,50GiB'", 'shorter retention for profiles'],
        ['hearth serve --config hearth.yaml', 'settings from a file'],
      ),
    )
    .action(async (options: Readonly<Record<string, string | true | undefined>>) => serve(options, context, version))
}

function settingOption(name: SettingName): Option {
  const { placeholder, help, byDefault } = settings[name]
  const note = byDefault === undefined || byDefault === '' ? '' : ` (${byDefault})`
  // A boolean option without a value means yes.
  const value = placeholder === 'yes/no' ? '[yes/no]' : `<${placeholder}>`
  return new Option(`--${name} ${value}`, `${help}${note}`)
}

async function serve(
  options: Readonly<Record<string, string | true | undefined>>,
  context: Context,
  version: string,
): Promise<void> {
  const flags: Partial<Record<SettingName, string>> = {}
  for (const name of SETTING_NAMES) {
    const value = options[camelCase(name)]
    if (value !== undefined) flags[name] = String(value)
  }
  const file = options['config'] === undefined ? undefined : String(options['config'])
  await runServer({ flags, file, context, version })
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
