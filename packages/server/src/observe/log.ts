// Structured logs: a line of JSON for machines, or a line of text for a terminal. Tokens and passwords are masked.
import type { Logger } from 'pino'
import { pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LogOptions {
  readonly level: LogLevel
  readonly format: 'json' | 'text'
  readonly write: (line: string) => void
}

export function openLog({ level, format, write }: LogOptions): Log {
  const stream = {
    write: (line: string): void => {
      const safe = withoutSecrets(line)
      write(format === 'json' ? safe : textLine(safe))
    },
  }
  return pino({ level, base: {}, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}

/** Masks secrets, which messages of libraries may contain. */
function withoutSecrets(line: string): string {
  return line
    .replaceAll(/(hearth_[0-9a-f]{12}_)[A-Za-z0-9_-]+/g, '$1***')
    .replaceAll(/\b(bearer|basic) +[A-Za-z0-9+/=._~-]{12,}/gi, '$1 ***')
    .replaceAll(/(:\/\/[^\s"\\:/@]*:)[^\s"\\/@]+@/g, '$1***@')
}

/** A log that discards everything. */
export const SILENT: Log = pino({ level: 'silent' })

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info ', 40: 'WARN ', 50: 'ERROR' }

function textLine(json: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(json) as {
    time: string
    level: number
    msg?: string
    err?: { message: string; stack?: string }
  } & Record<string, unknown>
  const values = Object.entries(rest).map(([key, value]) => ` ${key}=${shown(value)}`)
  const error = err === undefined ? '' : `\n${err.stack ?? err.message}`
  return `${time.slice(11, 23)} ${LEVELS[level] ?? String(level)} ${msg ?? ''}${values.join('')}${error}\n`
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}
