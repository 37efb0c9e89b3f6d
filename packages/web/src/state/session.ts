// Who asks the server: the token, kept for this tab alone, and the client that carries it.
import { ApiError, HearthClient } from '@hearth/client'
import { computed, signal } from '@preact/signals'
import { LocalFiles } from '../api/local-files.ts'
import { SERVER } from './navigation.ts'

const KEY = 'hearth.token'

const token = signal(sessionStorage.getItem(KEY) ?? '')

export const client = computed(
  () => new HearthClient({ server: SERVER, ...(token.value === '' ? {} : { token: token.value }) }),
)

export const hasToken = computed(() => token.value !== '')

/** Why the server wants to know who asks; undefined while it does not. */
export const signInWanted = signal<string | undefined>(undefined)

export const localFiles = new LocalFiles()

export function signIn(given: string): void {
  sessionStorage.setItem(KEY, given)
  isDismissed = false
  signInWanted.value = undefined
  token.value = given
}

export function signOut(): void {
  sessionStorage.removeItem(KEY)
  token.value = ''
}

/** Whether somebody closed the dialog: what asks again by itself must not open it again and again. */
let isDismissed = false

/** Opens the dialog where the server refused for want of a token. */
export function noticeRefusal(error: unknown): void {
  if (error instanceof ApiError && error.status === 401 && !isDismissed) signInWanted.value = error.message
}

export function dismissSignIn(): void {
  isDismissed = true
  signInWanted.value = undefined
}

export function wantSignIn(reason: string): void {
  isDismissed = false
  signInWanted.value = reason
}
