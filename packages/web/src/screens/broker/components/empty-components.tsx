// Nobody is subscribed: how a process is made to.
import type { JSX } from 'preact'
import { CopyButton } from '../../../widgets/controls/copy-button.tsx'

export function EmptyComponents(): JSX.Element {
  const text = [
    'OTEL_SERVICE_NAME=checkout \\',
    `OTEL_EXPORTER_OTLP_ENDPOINT=http://${location.hostname}:4318 \\`,
    `HEARTH_BROKER_ENDPOINT=http://${location.hostname}:4317 \\`,
    'node --import @hearth/agent/register app.js',
  ].join('\n')
  return (
    <div class="reading empty">
      <h1>Nobody is subscribed</h1>
      <p>
        A process that is subscribed to the Broker can be asked for a profile at any moment. Node.js processes are, with
        the agent and one more variable:
      </p>
      <pre class="empty-snippet">{text}</pre>
      <div class="empty-buttons">
        <CopyButton text={() => text}>Copy</CopyButton>
      </div>
      <p class="muted">
        It appears here as soon as it runs. Where the server wants tokens, one with the scope <code>broker</code> goes
        into <code>HEARTH_BROKER_TOKEN</code>. Whatever else speaks the protocol of <code>kubefox.proto.v1.Broker</code>{' '}
        may subscribe too, on the same port.
      </p>
    </div>
  )
}
