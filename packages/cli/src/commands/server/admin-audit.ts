// `hearth admin audit`: prints the audit log of a data directory.
import type { Command } from 'commander'
import type { AuditAction, AuditEntry } from '@hearth/server/administration'
import { AUDIT_ACTIONS, count, duration, readAudit } from '@hearth/server/administration'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { examples } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { DataArguments, DataOption } from './admin-data.ts'
import { lines, valueOf } from './admin-data.ts'

interface AuditOptions extends DataOption {
  readonly since?: string
  readonly action?: string
  readonly tenant?: string
  readonly limit: string
  readonly json?: boolean
}

export function addAudit(admin: Command, data: DataArguments, context: Context): void {
  admin
    .command('audit')
    .summary('print the audit log')
    .description(
      'Prints sign-ins, and changes of tokens, retention, captures, triggers and data: the latest first, with the time in UTC.',
    )
    .option(...data)
    .option('--since <duration>', 'only entries of the last time, such as 7d')
    .option('--action <action>', `only this action: ${AUDIT_ACTIONS.join(', ')}`)
    .option('--tenant <name>', 'only this tenant')
    .option('--limit <count>', 'maximum number of entries', '100')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      examples(
        ['hearth admin audit --since 7d', 'the last week'],
        ['hearth admin audit --action token-revoked --json', 'revoked tokens, for scripts'],
      ),
    )
    .action(async (options: AuditOptions) => printAudit(options, context))
}

async function printAudit(options: AuditOptions, context: Context): Promise<void> {
  const { since, tenant } = options
  const from = since === undefined ? undefined : Date.now() - valueOf('--since: ', () => duration(since))
  const limit = valueOf('--limit: ', () => count(options.limit))
  const entries = await readAudit(options.data, {
    from,
    action: actionOf(options.action),
    isVisible: entry => tenant === undefined || entry.tenant === tenant,
    limit,
  })
  if (options.json === true) return print(context.stdout, entries.map(entry => `${JSON.stringify(entry)}\n`).join(''))
  if (entries.length === 0) return print(context.stdout, `No entries in the audit log of ${printable(options.data)}.\n`)
  await print(context.stdout, lines(['TIME', 'ACTION', 'ACTOR', 'TENANT', 'ADDRESS', 'DETAILS'], entries.map(rowOf)))
}

function rowOf({ time, action, actor, tenant = '', address = '', details = {} }: AuditEntry): readonly string[] {
  const text = Object.entries(details).map(([key, value]) => `${key}=${value}`)
  return [`${time.slice(0, 19)}Z`, action, actor, tenant, address, text.join(' ')].map(printable)
}

function actionOf(name: string | undefined): AuditAction | undefined {
  if (name === undefined) return undefined
  const action = AUDIT_ACTIONS.find(known => known === name)
  if (action === undefined)
    throw new CliError(2, `--action: unknown action '${name}'`, `Actions: ${AUDIT_ACTIONS.join(', ')}.`)
  return action
}
