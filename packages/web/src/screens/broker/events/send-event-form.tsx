// The form that sends an event and shows the response.
import type { SendEventResponse, SendEventRequest } from '@hearth/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { client, handleUnauthorized } from '../../../state/session.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { FormField } from '../../../widgets/controls/form-field.tsx'
import { TextInput } from '../../../widgets/controls/form-inputs.tsx'

interface EventDraft {
  readonly type: string
  readonly category: 'MESSAGE' | 'REQUEST'
  readonly name: string
  readonly id: string
  readonly params: string
  readonly values: string
  readonly text: string
}

const NEW: EventDraft = { type: '', category: 'REQUEST', name: '', id: '', params: '', values: '', text: '' }

export function SendEventForm(): JSX.Element {
  const [draft, setDraft] = useState(NEW)
  const [result, setResult] = useState<SendEventResponse | undefined>(undefined)
  const [problem, setProblem] = useState<unknown>(undefined)
  const [isSending, setIsSending] = useState(false)
  const params = jsonIn(draft.params)
  const values = jsonIn(draft.values)
  const canSend = draft.type.trim() !== '' && params !== undefined && values !== undefined && !isSending
  const text = (key: 'type' | 'name' | 'id', label: string): JSX.Element => (
    <TextInput
      label={label}
      longest={1024}
      isCode
      value={draft[key]}
      onValue={value => setDraft({ ...draft, [key]: value })}
    />
  )
  const area = (key: 'params' | 'values' | 'text', label: string, isBad: boolean, placeholder: string): JSX.Element => (
    <textarea
      class="code"
      rows={3}
      aria-label={label}
      aria-invalid={isBad}
      spellcheck={false}
      placeholder={placeholder}
      value={draft[key]}
      onInput={event => setDraft({ ...draft, [key]: event.currentTarget.value })}
    />
  )
  const send = async (): Promise<void> => {
    setIsSending(true)
    setProblem(undefined)
    setResult(undefined)
    try {
      setResult(await client.peek().act('sendEvent', requestOf(draft, params ?? {}, values ?? {})))
    } catch (error) {
      handleUnauthorized(error)
      setProblem(error)
    } finally {
      setIsSending(false)
    }
  }
  return (
    <form
      class="broker-form narrow"
      onSubmit={event => {
        event.preventDefault()
        if (canSend) void send()
      }}
    >
      <FormField title="Type">{text('type', 'Event type')}</FormField>
      <FormField title="Category" hint="The form waits for the response to a request.">
        <select
          aria-label="Event category"
          value={draft.category}
          onChange={event => setDraft({ ...draft, category: event.currentTarget.value as EventDraft['category'] })}
        >
          <option value="REQUEST">REQUEST</option>
          <option value="MESSAGE">MESSAGE</option>
        </select>
      </FormField>
      <FormField title="To" hint="The name of a component. If empty, rules select it.">
        {text('name', 'Target name')}
      </FormField>
      <FormField title="Instance" hint="The ID of the component. If empty, any component of that name.">
        {text('id', 'Target instance')}
      </FormField>
      <FormField title="Params" hint={params === undefined ? 'Invalid JSON object.' : ''}>
        {area('params', 'Params as JSON', params === undefined, '{"profile_type": "cpu"}')}
      </FormField>
      <FormField title="Values" hint={values === undefined ? 'Invalid JSON object.' : 'Rules match these values.'}>
        {area('values', 'Values as JSON', values === undefined, '{"path": "/profiles/cpu"}')}
      </FormField>
      <FormField title="Content">{area('text', 'Content as text', false, '')}</FormField>
      <div class="broker-form-end">
        <button type="submit" class="primary" disabled={!canSend}>
          {isSending ? 'Waiting…' : 'Send'}
        </button>
      </div>
      {problem !== undefined && <Failure error={problem} />}
      {result !== undefined && (
        <section role="status" class="send-result">
          <h2>{result.response === undefined ? 'Sent' : `Response: ${result.response.type}`}</h2>
          <pre class="event-json">{JSON.stringify(result.response ?? result.event, undefined, 2)}</pre>
        </section>
      )}
    </form>
  )
}

type Json = Readonly<Record<string, unknown>>

/** Parses a JSON object. Returns an empty object for an empty text, and undefined for an invalid one. */
function jsonIn(text: string): Json | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

function requestOf({ type, category, name, id, text }: EventDraft, params: Json, values: Json): SendEventRequest {
  const target = {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(id.trim() === '' ? {} : { id: id.trim() }),
  }
  return {
    type: type.trim(),
    category,
    params,
    values,
    ...(Object.keys(target).length === 0 ? {} : { target }),
    ...(text === '' ? {} : { text }),
  }
}
