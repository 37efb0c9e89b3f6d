// The user's token, kept for this tab only, and the client that sends it.
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

export const hasToken = computed(() => token.value !== '')

/** Why the server requires a token; undefined while it does not. */
export const signInReason = signal<string | undefined>(undefined)

export const localFiles = new LocalFiles()

export function signIn(given: string): void {
  sessionStorage.setItem(KEY, given)
  isDismissed = false
  signInReason.value = undefined
  token.value = given
}

export function signOut(): void {
  sessionStorage.removeItem(KEY)
  token.value = ''
}

/** Whether the user closed the dialog. Polling must not open it again. */
let isDismissed = false

/** Opens the dialog if the server rejected the request for lack of a token. */
export function handleUnauthorized(error: unknown): void {
  if (error instanceof ApiError && error.status === 401 && !isDismissed) signInReason.value = error.message
}

export function dismissSignIn(): void {
  isDismissed = true
  signInReason.value = undefined
}

export function requestSignIn(reason: string): void {
  isDismissed = false
  signInReason.value = reason
}
