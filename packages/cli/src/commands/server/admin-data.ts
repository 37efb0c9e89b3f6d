// The shared part of the subcommands of `hearth admin`: the data directory, the access file, and lists.
import { userInfo } from 'node:os'
import type { Access, AuditEvent } from '@hearth/server/administration'
import {
  AccessFileError,
  ValueError,
  accessFileIn,
  appendAudit,
  isTenantName,
  readAccess,
  writeAccess,
} from '@hearth/server/administration'
import { CliError, aboutFile } from '../../errors.ts'
import { table } from '../../terminal/table.ts'

export interface DataOption {
  readonly data: string
}

export type DataArguments = readonly [flags: string, description: string, byDefault: string]

export function checkTenant(name: string): void {
  if (isTenantName(name)) return
  throw new CliError(
    2,
    `'${name}' is not a valid tenant name`,
    'Use 1 to 64 letters, digits, dots, dashes or underscores.',
  )
}

/** Parses a value that a person has written. `where` prefixes the error. */
export function valueOf<Value>(where: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ValueError) throw new CliError(2, `${where}${error.message}`, '', { cause: error })
    throw error
  }
}

export function readAccessOf({ data }: DataOption): Access {
  const file = accessFileIn(data)
  try {
    return readAccess(file)
  } catch (error) {
    throw accessError(error, file)
  }
}

/** Returns the new state. */
export function changeAccess(options: DataOption, to: (access: Access) => Access): Access {
  const file = accessFileIn(options.data)
  const access = to(readAccessOf(options))
  try {
    writeAccess(file, access)
  } catch (error) {
    throw accessError(error, file)
  }
  return access
}

export function accessError(error: unknown, file: string): unknown {
  if (!(error instanceof AccessFileError)) return aboutFile(error, file)
  return new CliError(1, error.message, 'Fix the file, or move it away to start with an empty one.', { cause: error })
}

export function lines(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${table(
    titles.map(title => ({ title })),
    rows,
  ).join('\n')}\n`
}

/** Records what a command did. A failure is reported, because the change itself was made. */
export function audit({ data }: DataOption, event: Omit<AuditEvent, 'actor'>): void {
  try {
    appendAudit(data, { actor: `user ${userName()}`, ...event })
  } catch (error) {
    throw new CliError(1, 'the change is made, but the audit log cannot be written', '', { cause: error })
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A user without an entry in the list of users, as in many containers.
    return String(process.getuid?.() ?? 'unknown')
  }
}
