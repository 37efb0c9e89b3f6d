// `hearth admin delete` and `hearth admin redaction`: delete stored data, and show what redaction rules would change. Both ask a
// running server.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deletion, HearthClient } from '@hearth/client'
import { SIGNALS } from '@hearth/signals'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { CliError, aboutFile } from '../../errors.ts'
import { examples } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'
import { print } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { lines } from './admin-data.ts'

interface ServerOption extends RemoteOptions {
  readonly server: string
}

interface DeleteOptions extends ServerOption {
  readonly from: string
  readonly to: string
  readonly signal?: (typeof SIGNALS)[number][]
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly wait: boolean
}

export function addDelete(admin: Command, context: Context): void {
  const command = admin
    .command('delete')
    .summary('delete stored data')
    .description(
      'Deletes the data of a tenant that a selector matches, of any signal, and waits until it is gone from disk, which takes about ' +
        'ten minutes. Needs a running server, and a token with the scope admin if the server has tokens.',
    )
    .argument('<selector>', `attributes of the data, such as '{user.id="42"}'; '{}' selects everything`)
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .requiredOption('--from <time>', 'start of the range: 2026-11-15T14:00:00Z, a Unix time, or relative to now')
    .requiredOption('--to <time>', 'end of the range')
    .addOption(new Option('--signal <signal...>', 'only these signals; default: all').choices(SIGNALS))
    .option('--dry-run', 'count the data and delete nothing')
    .option('--yes', 'confirms that the data is deleted for good')
    .option('--no-wait', 'return as soon as the server has started')
  addRemoteOptions(command)
    .addHelpText(
      'after',
      examples(
        [`hearth admin delete '{user.id="42"}' --from 2026-01-01T00:00:00Z --to now --dry-run`, 'count first'],
        [`hearth admin delete '{user.id="42"}' --from 2026-01-01T00:00:00Z --to now --yes`, 'delete'],
      ),
    )
    .action(async (selector: string, options: DeleteOptions) => deleteData(selector, options, context))
}

async function deleteData(selector: string, options: DeleteOptions, context: Context): Promise<void> {
  const { server, from, to, signal, dryRun, yes } = options
  if (dryRun !== true && yes !== true)
    throw new CliError(2, 'this deletes data for good', 'Count it with --dry-run, and confirm with --yes.')
  const client = await connect(server, '--server', options, context)
  const request = { selector, from, to, ...(signal === undefined ? {} : { signals: signal }) }
  try {
    if (dryRun === true) {
      const { items } = await client.act('countDeletion', request)
      const rows = Object.entries(items).map(([name, count]) => [name, String(count)])
      return await print(context.stdout, lines(['SIGNAL', 'ITEMS'], rows))
    }
    const started = await client.act('startDeletion', request)
    await print(context.stdout, `Deletion ${started.id} has started.\n`)
    if (options.wait) await waitUntilGone(client, started, context)
  } catch (error) {
    throw aboutServer(error, { option: '--server', selector })
  }
}

const POLL_MS = 1000

async function waitUntilGone(client: HearthClient, started: Deletion, context: Context): Promise<void> {
  let { state } = started
  for (;;) {
    const record = await client.act('deletion', {}, { of: started.id })
    const rows = Object.entries(record.rows).map(([table, count]) => `${table} ${count}`)
    if (record.state === 'failed')
      throw new CliError(1, `the deletion ${record.id} failed: ${record.error ?? ''}`, 'It can be started again.')
    if (record.state !== state && state === 'running') {
      const left = `${record.remaining ?? 0} matching items are left`
      await print(context.stdout, `Deleted at ${record.deleted ?? ''}: ${rows.join(', ') || 'no rows'}. ${left}.\n`)
      if (record.state === 'deleted')
        await print(context.stdout, 'Waiting until the old files are removed from disk.\n')
    }
    if (record.state === 'gone') return print(context.stdout, `Gone from disk at ${record.gone ?? ''}.\n`)
    ;({ state } = record)
    await pause(POLL_MS)
  }
}

interface RedactionOptions extends ServerOption {
  readonly rules: string
  readonly from?: string
  readonly to?: string
  readonly json?: boolean
}

export function addRedaction(admin: Command, context: Context): void {
  const command = admin
    .command('redaction')
    .summary('show what redaction rules would change')
    .description(
      'Counts the values in stored data that redaction rules would remove or hash. Changes nothing. Put the rules into the setting ' +
        '`redaction` to apply them to new data.',
    )
    .requiredOption('--rules <file>', 'YAML or JSON file with a list of rules')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--from <time>', 'start of the range; default: now-1h')
    .option('--to <time>', 'end of the range; default: now')
  addRemoteOptions(command)
    .option('--json', "print the server's response as JSON")
    .addHelpText('after', examples(['hearth admin redaction --rules rules.yaml --from now-7d', 'the last week']))
    .action(async (options: RedactionOptions) => dryRun(options, context))
}

async function dryRun(options: RedactionOptions, context: Context): Promise<void> {
  const { server, rules, from, to } = options
  const client = await connect(server, '--server', options, context)
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  try {
    const found = await client.query('redactionDryRun', { rules: readRules(rules), ...range })
    if (options.json === true) return await print(context.stdout, `${JSON.stringify(found, undefined, 2)}\n`)
    const { keys, values, isTruncated } = found
    const rows = keys.map(({ rule, table, key, count }) => [printable(rule), table, printable(key), String(count)])
    const note = isTruncated ? ' (the most frequent ones)' : ''
    await print(context.stdout, `${values} different values checked${note}.\n`)
    await print(
      context.stdout,
      rows.length === 0 ? 'The rules match nothing.\n' : lines(['RULE', 'TABLE', 'KEY', 'COUNT'], rows),
    )
  } catch (error) {
    throw aboutServer(error, { option: '--server' })
  }
}

function readRules(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw aboutFile(error, file)
  }
}
