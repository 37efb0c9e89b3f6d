// The receivers of alerts and reports, and the log of messages to them.
import type { JSX } from 'preact'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { usePolled } from '../../state/use-polled.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { formatMoment } from '../../widgets/format-time.ts'

const REFRESH_MS = 10_000

export function MessagesTab(): JSX.Element {
  const receivers = useLoaded('receivers', signal => client.peek().act('receivers', {}, { signal }))
  const loaded = usePolled('notifications', { everyMs: REFRESH_MS }, signal =>
    client.peek().act('notifications', {}, { signal }),
  )
  const { value } = loaded
  if (value === undefined) {
    return loaded.error === undefined ? (
      <Progress of={loaded} what="Loading messages" />
    ) : (
      <Failure error={loaded.error} onRetry={loaded.retry} />
    )
  }
  return (
    <>
      <h2>Receivers</h2>
      <ul>
        {(receivers.value?.receivers ?? []).map(({ name, kind, url, signed }) => (
          <li key={name}>
            <strong>{name}</strong> {kind} <span class="code">{url ?? 'logs of this server'}</span>
            {signed ? ', signed' : ''}
          </li>
        ))}
      </ul>
      {receivers.value?.receivers.length === 0 && (
        <p class="muted">No receivers. Add some to the rule file of the server, or over the API.</p>
      )}
      <h2>Waiting</h2>
      {value.waiting.length === 0 && <p class="muted">No messages wait.</p>}
      <ul>
        {value.waiting.map(({ id, receiver, attempts, next, error }) => (
          <li key={id}>
            To {receiver}: tried {attempts} times, next at {formatMoment(Date.parse(next))}
            {error === undefined ? '' : `. ${error}`}
          </li>
        ))}
      </ul>
      <h2>Sent</h2>
      {value.sent.length === 0 && <p class="muted">No messages were sent.</p>}
      {value.sent.length > 0 && (
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Receiver</th>
              <th scope="col">Message</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {value.sent.map(({ id, time, receiver, title, state, attempts, error }) => (
              <tr key={id}>
                <td>{formatMoment(Date.parse(time))}</td>
                <td>{receiver}</td>
                <td>{title}</td>
                <td class={state === 'sent' ? 'alert-resolved' : 'alert-firing'}>
                  {state}
                  {attempts > 1 ? ` after ${attempts} attempts` : ''}
                  {error === undefined ? '' : `: ${error}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
