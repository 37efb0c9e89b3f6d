// Signs out: ends the session of a person. A token stays valid, and the client forgets it.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'

export const signOut = defineEndpoint({
  name: 'signOut',
  method: 'DELETE',
  path: '/session',
  summary: 'Ends the session of a person and records it; a token stays valid',
  scope: 'none',
  request: z.strictObject({}),
  response: z.strictObject({ signedOut: z.boolean() }),
  async handle({ signIn, auditAs }) {
    const { isOpen, hasCredentials } = signIn
    if (isOpen || !hasCredentials) return { signedOut: false }
    const { kind, name } = signIn.grant()
    signIn.end()
    auditAs(name, 'sign-out', { kind })
    return { signedOut: true }
  },
})
