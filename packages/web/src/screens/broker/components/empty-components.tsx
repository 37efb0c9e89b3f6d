// The empty state of the component list. It shows how to connect a process.
import type { JSX } from 'preact'
import { CopyButton } from '../../../widgets/controls/copy-button.tsx'
import { environment } from '../../../widgets/send-data/snippet.ts'
import { useReceivers } from '../../../widgets/send-data/use-receivers.ts'
import '../../../widgets/send-data/send-data.css'

export function EmptyComponents(): JSX.Element {
  const at = useReceivers()
  if (at === undefined) return <></>
  const text = [
    'OTEL_SERVICE_NAME=checkout \\',
    ...environment(at).map(each => `${each} \\`),
    `HEARTH_BROKER_ENDPOINT=${at.grpcTls ? 'https' : 'http'}://${at.otlpGrpc} \\`,
    'node --import @hearth/agent/register app.js',
  ].join('\n')
  return (
    <div class="reading empty">
      <h1>No components connected</h1>
      <p>
        A process that is connected to the Broker can be captured at any time. To connect a Node.js process, start it
        with the agent and the endpoint of the Broker:
      </p>
      <pre class="empty-snippet" tabIndex={0}>
        {text}
      </pre>
      <div class="empty-buttons">
        <CopyButton text={() => text}>Copy</CopyButton>
      </div>
      <p class="muted">
        It appears here when it has started. If the server requires tokens, set <code>HEARTH_BROKER_TOKEN</code> to a
        token with the scope <code>broker</code>. Other clients of <code>kubefox.proto.v1.Broker</code> can connect on
        the same port.
      </p>
    </div>
  )
}
