// Creates a token for senders, so that "Add data" in the UI can show commands that work.
import { z } from 'zod'
import { makeToken } from '../../../access/tokens.ts'
import { defineEndpoint } from '../endpoint.ts'
import { RequestError } from '../response/request-error.ts'

export const createToken = defineEndpoint({
  name: 'createToken',
  method: 'POST',
  path: '/tokens',
  summary: 'Creates a token that can only send data, as the tenant of the request',
  scope: 'admin',
  request: z.strictObject({
    name: z.string().min(1).max(80).meta({ description: 'Shown in `hearth admin token list` and in the audit log' }),
  }),
  response: z.strictObject({
    id: z.string().meta({ description: 'For `hearth admin token revoke`' }),
    token: z.string().meta({ description: 'The server keeps only its hash, so it is returned only here' }),
  }),
  status: 201,
  async handle({ signIn, tenant, addToken, audit }, { name }) {
    // The first token closes the server for everybody without one. That is left to its operator.
    if (signIn.isOpen)
      throw new RequestError(
        409,
        'no-token-needed',
        'this server needs no token; `hearth admin token create` creates the first one, and then every request needs one',
      )
    const { row, token } = makeToken({ name, tenants: [tenant], scopes: ['write'] })
    addToken(row)
    audit('token-created', { id: row.id, name, tenants: tenant, scopes: 'write' })
    return { id: row.id, token }
  },
})
