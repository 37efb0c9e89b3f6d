// What failed, why, and what to do about it.
import { ApiError, UnreachableError } from '@hearth/client'
import type { JSX } from 'preact'
import { WorkerError } from '../api/worker-port.ts'
import { requestSignIn } from '../state/session.ts'
import { CopyButton } from './controls/copy-button.tsx'
import { Icon } from './controls/icon.tsx'
import './failure.css'

/** A part of the page itself did not come. */
export class UnloadedError extends Error {
  override readonly name = 'UnloadedError'

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

export interface FailureProps {
  readonly error: unknown
  /** What it is about, where several things are shown. */
  readonly of?: string
  readonly onRetry?: (() => void) | undefined
}

export function Failure({ error, of, onRetry }: FailureProps): JSX.Element {
  const { title, hint } = wordsFor(error)
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

/** In a few words. */
export function failureTitle(error: unknown): string {
  return wordsFor(error).title
}

interface Words {
  readonly title: string
  readonly hint: string | undefined
}

function wordsFor(error: unknown): Words {
  if (error instanceof UnreachableError) {
    return { title: 'The server does not answer', hint: 'Is it running? It may be starting or out of reach.' }
  }
  if (error instanceof UnloadedError) {
    return {
      title: 'This part of the page did not come',
      hint: 'Is the server running? If Hearth was updated meanwhile, it is there after the page is loaded again.',
    }
  }
  if (error instanceof WorkerError) return wordsForFile(error.kind)
  if (!(error instanceof ApiError)) return { title: 'This did not work', hint: undefined }
  if (error.code.startsWith('mixed-')) {
    return {
      title: 'This is no one sum',
      hint: 'Choose one profile type, or filter, so that what is added up is alike.',
    }
  }
  switch (error.code) {
    case 'syntax':
    case 'regex':
      return { title: 'The question cannot be read', hint: 'Look at the search and the filters above.' }
    case 'argument':
      return { title: 'The question cannot be read', hint: undefined }
    case 'unauthenticated':
      return { title: 'The server wants a token', hint: 'The token has to have the scope `read`.' }
    case 'forbidden':
      return { title: 'This token may not do that', hint: hintForRight(error.message) }
    case 'no-broker':
      return {
        title: 'The server has no Broker',
        hint: 'It was started with the setting `broker` switched off. With it, processes can be asked for profiles.',
      }
    case 'too-many-rows':
    case 'limit':
      return { title: 'This is too much for one question', hint: 'Choose a shorter time or more filters.' }
    case 'too-many-questions':
      return { title: 'The server is busy', hint: 'Other questions are being answered. Try again in a moment.' }
    default:
      return { title: 'The server could not answer', hint: undefined }
  }
}

/** The server says which right is missing. */
function hintForRight(message: string): string | undefined {
  const right = / lacks the scope (\w+)$/.exec(message)?.[1]
  if (right === undefined) return undefined
  return `The right \`${right}\` is missing: \`hearth admin token create --scope ${right}\` makes a token that has it.`
}

/** By the names of the library's errors. */
function wordsForFile(kind: string): Words {
  switch (kind) {
    case 'UnknownFormatError':
      return { title: 'This is no profile that Hearth knows', hint: 'It can be in any of the formats listed above.' }
    case 'EmptyInputError':
      return { title: 'The file is empty', hint: undefined }
    case 'CompressionError':
      return { title: 'The file cannot be unpacked', hint: 'It may be cut off, or too large once it is unpacked.' }
    case 'FormatError':
      return { title: 'The file is damaged', hint: 'The place is told above.' }
    default:
      return { title: 'This did not work', hint: undefined }
  }
}

function detailsOf(error: unknown): string {
  const page = `Page: ${location.href}`
  if (!(error instanceof Error)) return `${String(error)}\n${page}`
  const code = error instanceof ApiError ? `\nStatus ${error.status}, code ${error.code}` : ''
  return `${error.name}: ${error.message}${code}\n${page}\nTime: ${new Date().toISOString()}`
}
