// The caller of the API: who is signed in, and how to sign in.
import { z } from 'zod'
import { SCOPES } from '../../../access/tokens.ts'
import { defineEndpoint } from '../endpoint.ts'
import type { RequestContext } from '../request/request-context.ts'
import { nameSchema } from '../response/schema-names.ts'

export const sessionSchema = nameSchema(
  'Session',
  z.strictObject({
    required: z.boolean().meta({ description: 'Whether requests need a token or a session' }),
    methods: z
      .array(z.enum(['token', 'oidc']))
      .meta({ description: 'The ways to sign in; the path /auth/sign-in starts `oidc`' }),
    caller: z
      .strictObject({
        kind: z.enum(['open', 'token', 'person']).meta({ description: '`open`: the server needs no token' }),
        name: z.string().meta({ description: 'The name of the token or the person; empty if open' }),
        tenant: z.string().meta({ description: 'The tenant of requests without X-Scope-OrgID' }),
        tenants: z.array(z.string()).meta({ description: 'All tenants of the caller; * means all' }),
        scopes: z.array(z.enum(SCOPES)),
        expires: z.string().optional().meta({ description: 'ISO 8601; missing if it does not expire' }),
      })
      .optional()
      .meta({ description: 'Missing if nobody is signed in' }),
  }),
)

/** Throws AccessError for an invalid token. */
export function sessionFor({ signIn }: Pick<RequestContext, 'signIn'>): z.infer<typeof sessionSchema> {
  const { isOpen, methods, hasCredentials } = signIn
  const base = { required: !isOpen, methods: [...methods] }
  if (!isOpen && !hasCredentials) return base
  const { kind, name, tenants, scopes, expires } = signIn.grant()
  const tenant = tenants[0] === '*' ? 'default' : tenants[0]
  const end = expires === undefined ? {} : { expires }
  return { ...base, caller: { kind, name, tenant, tenants: [...tenants], scopes: [...scopes], ...end } }
}

export const session = defineEndpoint({
  name: 'session',
  method: 'GET',
  path: '/session',
  summary: 'Who is signed in, and how to sign in; needs no token',
  scope: 'none',
  request: z.strictObject({}),
  response: sessionSchema,
  async handle(context) {
    return sessionFor(context)
  },
})
