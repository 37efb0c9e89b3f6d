// Says how to send data to this server, with its own addresses and ports.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { FILES } from '../../address/route.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { Tabs } from '../controls/tabs.tsx'
import { RouteLink } from '../route-link.tsx'
import { SenderToken } from './sender-token.tsx'
import { withToken } from './snippet.ts'
import { SNIPPETS } from './snippets.ts'
import { useReceivers } from './use-receivers.ts'
import './send-data.css'

export function SendData(): JSX.Element {
  const at = useReceivers()
  const [chosen, setChosen] = useState(SNIPPETS[0].value)
  const [token, setToken] = useState<string>()
  const snippet = SNIPPETS.find(each => each.value === chosen) ?? SNIPPETS[0]
  if (at === undefined) return <></>
  const text = token === undefined ? snippet.text(at) : withToken(snippet.text(at), token)
  return (
    <>
      <p>
        <Tabs
          label="Source"
          options={SNIPPETS.map(({ value, title }) => ({ value, title }))}
          value={chosen}
          onChange={setChosen}
        />
      </p>
      <pre class="empty-snippet" tabIndex={0}>
        {text}
      </pre>
      <div class="empty-buttons">
        <CopyButton text={() => text}>Copy</CopyButton>
      </div>
      <p class="muted">{snippet.note}</p>
      <p>
        <a href={`${at.main}/docs/quick-starts.html`}>Documentation</a>
      </p>
      {at.needsToken && <SenderToken name={snippet.value} token={token} onToken={setToken} />}
      <dl class="receivers">
        <dt>OTLP over HTTP</dt>
        <dd class="code">{at.otlpHttp}</dd>
        <dt>OTLP over gRPC</dt>
        <dd class="code">{at.otlpGrpc}</dd>
        <dt>API, Pyroscope</dt>
        <dd class="code">{at.main}</dd>
      </dl>
      <h2>View a local file</h2>
      <p>
        <RouteLink to={FILES}>Open a file</RouteLink>, or drop it on this page. It is read in this browser and is not
        uploaded.
      </p>
    </>
  )
}
