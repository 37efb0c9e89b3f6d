// The severity of a log record, in its colour.
import type { LogRow } from '@hearth/client'
import type { JSX } from 'preact'
import { severityName } from './severity-name.ts'
import './severity.css'

export function SeverityTag({ log }: { readonly log: Pick<LogRow, 'severity' | 'severityText'> }): JSX.Element {
  const name = severityName(log.severity)
  const text = log.severityText === '' ? name : log.severityText
  return <span class={`severity severity-${name === '' ? 'none' : name}`}>{text.toUpperCase()}</span>
}
