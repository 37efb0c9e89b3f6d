// Signs in with a token: checks it, and records the sign-in.
import { z } from 'zod'
import { AccessError } from '../../../access/gatekeeper.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionFor, sessionSchema } from './session.ts'

export const signIn = defineEndpoint({
  name: 'signIn',
  method: 'POST',
  path: '/session',
  summary: 'Checks the token of the request, and records the sign-in in the audit log',
  scope: 'none',
  request: z.strictObject({}),
  response: sessionSchema,
  async handle(context) {
    try {
      const { kind, name, tenants, scopes } = context.signIn.grant()
      context.auditAs(name === '' ? 'anyone' : name, 'sign-in', {
        kind,
        tenants: tenants.join(' '),
        scopes: scopes.join(' '),
      })
      return sessionFor(context)
    } catch (error) {
      if (error instanceof AccessError) context.auditAs('anyone', 'sign-in-failed', { reason: error.message })
      throw error
    }
  },
})
