// Shows an error: what failed, why, and what to do.
import { ApiError, UnreachableError } from '@hearth/client'
import type { JSX } from 'preact'
import { WorkerError } from '../api/worker-port.ts'
import { requestSignIn } from '../state/session.ts'
import { CopyButton } from './controls/copy-button.tsx'
import { Icon } from './controls/icon.tsx'
import './failure.css'

/** A part of the application itself could not be loaded. */
export class LoadError extends Error {
  override readonly name = 'LoadError'

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

export interface FailureProps {
  readonly error: unknown
  /** The name of the subject, if several are shown. */
  readonly of?: string
  readonly onRetry?: (() => void) | undefined
}

export function Failure({ error, of, onRetry }: FailureProps): JSX.Element {
  const { title, hint } = explanationOf(error)
  const message = error instanceof Error ? error.message : String(error)
  return (
    <div class="failure" role="alert">
      <h2>
        <Icon name="warning" /> {of === undefined ? title : `${of}: ${title}`}
      </h2>
      <p class="code">{message}</p>
      {hint !== undefined && <p class="muted">{hint}</p>}
      <div class="failure-buttons">
        {onRetry !== undefined && (
          <button type="button" onClick={onRetry}>
            <Icon name="refresh" /> Try again
          </button>
        )}
        {error instanceof ApiError && (error.status === 401 || error.status === 403) && (
          <button type="button" class="primary" onClick={() => requestSignIn(error.message)}>
            {error.status === 401 ? 'Sign in' : 'Use another token'}
          </button>
        )}
        <CopyButton text={() => detailsOf(error)}>Copy details</CopyButton>
      </div>
    </div>
  )
}

export function failureTitle(error: unknown): string {
  return explanationOf(error).title
}

interface Explanation {
  readonly title: string
  readonly hint: string | undefined
}

function explanationOf(error: unknown): Explanation {
  if (error instanceof UnreachableError) {
    return { title: 'Server not reachable', hint: 'Check that the server is running, then try again.' }
  }
  if (error instanceof LoadError) {
    return {
      title: 'Failed to load',
      hint: 'Check that the server is running. If Hearth was updated, reload the page.',
    }
  }
  if (error instanceof WorkerError) return fileExplanation(error.kind)
  if (!(error instanceof ApiError)) return { title: 'Unexpected error', hint: undefined }
  if (error.code.startsWith('mixed-')) {
    return {
      title: 'These profiles cannot be added up',
      hint: 'Select one profile type, or add filters.',
    }
  }
  switch (error.code) {
    case 'syntax':
    case 'regex':
      return { title: 'Invalid query', hint: 'Check the search and the filters above.' }
    case 'argument':
      return { title: 'Invalid query', hint: undefined }
    case 'unauthenticated':
      return { title: 'Sign in required', hint: 'Use a token with the scope `read`.' }
    case 'forbidden':
      return { title: 'Permission denied', hint: scopeHint(error.message) }
    case 'no-broker':
      return {
        title: 'The Broker is disabled',
        hint: 'Start the server with the setting `broker` to capture profiles on demand.',
      }
    case 'too-many-rows':
    case 'limit':
      return { title: 'Query limit exceeded', hint: 'Select a shorter time range or add filters.' }
    case 'too-many-queries':
      return { title: 'Too many concurrent queries', hint: 'Try again in a moment.' }
    default:
      return { title: 'Query failed', hint: undefined }
  }
}

/** Reads the missing scope from the message of the server. */
function scopeHint(message: string): string | undefined {
  const scope = / lacks the scope (\w+)$/.exec(message)?.[1]
  if (scope === undefined) return undefined
  return `The token lacks the scope \`${scope}\`. To create one, run \`hearth admin token create --scope ${scope}\`.`
}

/** Explains an error of the profile library by its name. */
function fileExplanation(kind: string): Explanation {
  switch (kind) {
    case 'UnknownFormatError':
      return { title: 'Unknown format', hint: 'Open a file in one of the formats listed above.' }
    case 'EmptyInputError':
      return { title: 'The file is empty', hint: undefined }
    case 'CompressionError':
      return { title: 'Decompression failed', hint: 'The file may be truncated, or too large when decompressed.' }
    case 'MixedProfilesError':
      return { title: 'These profiles cannot be added up', hint: 'Select one profile type, or open fewer files.' }
    case 'FormatError':
      return { title: 'The file is damaged', hint: 'The message above names the position.' }
    default:
      return { title: 'Unexpected error', hint: undefined }
  }
}

function detailsOf(error: unknown): string {
  const page = `Page: ${location.href}`
  if (!(error instanceof Error)) return `${String(error)}\n${page}`
  const code = error instanceof ApiError ? `\nStatus ${error.status}, code ${error.code}` : ''
  return `${error.name}: ${error.message}${code}\n${page}\nTime: ${new Date().toISOString()}`
}
