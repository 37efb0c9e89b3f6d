// The button that shows who is signed in: name, tenant, scopes and expiry, and signs out.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loadSession, requestSignIn, session, signOut } from '../../state/session.ts'
import { DetailList } from '../detail-list.tsx'
import { Icon } from '../controls/icon.tsx'
import { Popover } from '../controls/popover.tsx'
import './dialogs.css'

export function AccountMenu(): JSX.Element {
  const [open, setOpen] = useState(false)
  useEffect(() => void loadSession(), [])
  const current = session.value
  if (current === undefined || !current.required) return <></>
  const { caller } = current
  if (caller === undefined)
    return (
      <button type="button" class="plain" onClick={() => requestSignIn('')}>
        Sign in
      </button>
    )
  const { kind, name, tenant, tenants, scopes, expires } = caller
  const others = tenants.filter(each => each !== tenant).map(each => (each === '*' ? 'all others' : each))
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      align="right"
      title="Account"
      buttonClass="plain icon"
      label={<Icon name="user" />}
    >
      <div class="account">
        <DetailList
          title={name === '' ? 'Token without a name' : name}
          properties={[
            { key: 'Signed in with', value: kind === 'person' ? 'your account' : 'a token' },
            { key: 'Tenant', value: others.length === 0 ? tenant : `${tenant} (also ${others.join(', ')})` },
            { key: 'Scopes', value: scopes.join(', ') },
            {
              key: 'Expires',
              value: expires === undefined ? 'never' : expires.slice(0, 16).replace('T', ' ') + ' UTC',
            },
          ]}
        />
        <button
          type="button"
          onClick={() => {
            setOpen(false)
            void signOut()
          }}
        >
          Sign out
        </button>
      </div>
    </Popover>
  )
}
