// The user's token, kept for this tab only, and the client that sends it.
import type { Session } from '@hearth/client'
import { ApiError, HearthClient } from '@hearth/client'
import { computed, signal } from '@preact/signals'
import { LocalFiles } from '../api/local-files.ts'
import { SERVER } from './navigation.ts'

const KEY = 'hearth.token'

const token = signal(sessionStorage.getItem(KEY) ?? '')

/** A sentence about damaged data that responses lack; undefined if they are complete. */
export const missingData = signal<string | undefined>(undefined)

export const client = computed(
  () =>
    new HearthClient({
      server: SERVER,
      onMissingData: message => void (missingData.value = message),
      ...(token.value === '' ? {} : { token: token.value }),
    }),
)

/** The reason why the server requires a token. Undefined while it does not. */
export const signInReason = signal<string | undefined>(undefined)

/** The signed-in caller, and the ways to sign in. Undefined until the server has responded. */
export const session = signal<Session | undefined>(undefined)

export const isSignedIn = computed(() => {
  const caller = session.value?.caller
  return caller !== undefined && caller.kind !== 'open'
})

export const localFiles = new LocalFiles()

/** Loads the session of a person, or the permissions of the token. Failures are shown where data is missing. */
export async function loadSession(): Promise<void> {
  try {
    session.value = await client.peek().act('session', {})
  } catch (error) {
    handleUnauthorized(error)
  }
}

/** Checks the token before it is used. Returns the reason for which it cannot be used, or undefined. */
export async function signIn(given: string): Promise<string | undefined> {
  const attempt = new HearthClient({ server: SERVER, token: given })
  try {
    const found = await attempt.act('signIn', {})
    const { caller } = found
    if (caller !== undefined && !caller.scopes.includes('read'))
      return `This token cannot read data. It has the scopes ${caller.scopes.join(', ')}.`
    session.value = found
  } catch (error) {
    if (error instanceof ApiError && error.status === 401)
      return error.message.includes('expired') ? `Invalid token: ${error.message}` : 'Invalid token'
    return error instanceof Error ? error.message : String(error)
  }
  sessionStorage.setItem(KEY, given)
  isDismissed = false
  signInReason.value = undefined
  token.value = given
  return undefined
}

export async function signOut(): Promise<void> {
  // A token that expired meanwhile cannot sign out, and is forgotten anyway.
  await client
    .peek()
    .act('signOut', {})
    .catch(() => undefined)
  sessionStorage.removeItem(KEY)
  // Before the token changes, which makes screens load again.
  requestSignIn('You are signed out.')
  token.value = ''
  session.value = undefined
  await loadSession()
}

/** Whether the user closed the dialog. Polling must not open it again. */
let isDismissed = false

/** Opens the dialog if the server rejected the request for lack of a token. */
export function handleUnauthorized(error: unknown): void {
  // A reason that is shown already stays, such as that the user signed out.
  if (error instanceof ApiError && error.status === 401 && !isDismissed) signInReason.value ??= reasonOf(error.message)
}

/** Advice for programs is not shown to people. */
function reasonOf(message: string): string {
  return message.startsWith('missing token') ? '' : message
}

export function dismissSignIn(): void {
  isDismissed = true
  signInReason.value = undefined
}

export function requestSignIn(reason: string): void {
  isDismissed = false
  signInReason.value = reason
}
