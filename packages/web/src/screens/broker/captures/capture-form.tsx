// The form that starts a capture. Its fields are in the URL, so that a link can prefill them.
import type { Capture, ComponentRow, StartCaptureRequest } from '@hearth/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { CaptureRoute, CaptureDraft } from '../../../address/broker-route.ts'
import { BROKER, CAPTURE } from '../../../address/broker-route.ts'
import { navigate } from '../../../state/navigation.ts'
import { client, handleUnauthorized } from '../../../state/session.ts'
import type { Loaded } from '../../../state/use-loaded.ts'
import { useMounted } from '../../../state/use-mounted.ts'
import { usePolled } from '../../../state/use-polled.ts'
import { parseDuration } from '../../../address/time-range.ts'
import { Combo } from '../../../widgets/controls/combo.tsx'
import { Failure } from '../../../widgets/failure.tsx'
import { formatLength } from '../../../widgets/format-time.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { Tabs } from '../../../widgets/controls/tabs.tsx'
import { counted } from '../../../widgets/counted.ts'
import { EmptyComponents } from '../components/empty-components.tsx'
import { FormField } from '../../../widgets/controls/form-field.tsx'
import { DurationInput, FrequencyInput, TextInput } from '../../../widgets/controls/form-inputs.tsx'
import { canCapture } from '../../links/can-capture.ts'
import { records, typesOf } from '../components/group-components.ts'

const REFRESH_MS = 3000
/** The types that agents support, suggested if no instance announces its types. */
const COMMON_TYPES = ['cpu', 'wall', 'heap']
/** The types that can be captured for a time range. A heap profile is a snapshot. */
const TIMED = ['cpu', 'wall']
const ANY = '\u0000any'
const ALL = '\u0000all'

export function CaptureForm({ route }: { readonly route: CaptureRoute }): JSX.Element {
  const loaded = usePolled('capture-components', { everyMs: REFRESH_MS }, async signal => {
    return (await client.peek().act('components', {}, { signal })).components.filter(canCapture)
  })
  return (
    <div class="explore broker">
      <div class="bar">
        <RouteLink class="button plain" to={BROKER}>
          <Icon name="back" /> Components
        </RouteLink>
        <h1 class="broker-title">New capture</h1>
      </div>
      <Form route={route} components={loaded} />
    </div>
  )
}

interface FormProps {
  readonly route: CaptureRoute
  readonly components: Loaded<readonly ComponentRow[]>
}

function Form({ route, components }: FormProps): JSX.Element {
  const { draft } = route
  const [isStarting, setIsStarting] = useState(false)
  const [problem, setProblem] = useState<unknown>(undefined)
  const isShown = useMounted()
  if (components.value === undefined) {
    if (components.error !== undefined) return <Failure error={components.error} onRetry={components.retry} />
    return <Progress of={components} what="Loading components" />
  }
  const all = components.value
  if (all.length === 0) return <EmptyComponents />
  const change = (to: Partial<CaptureDraft>): void => navigate({ ...route, draft: { ...draft, ...to } }, 'replace')
  const services = [...new Set(all.map(({ service }) => service))].sort()
  const ofService = all.filter(({ service }) => service === draft.service)
  const environments = [...new Set(ofService.map(({ environment }) => environment))].filter(name => name !== '').sort()
  const rows = ofService.filter(({ environment }) => draft.environment === '' || environment === draft.environment)
  const able = rows.filter(row => records(row, draft.type))
  const types = typesOf(rows)
  const furthest = Math.max(0, ...able.map(({ lookBackSeconds = 0 }) => lookBackSeconds)) * 1000
  const canLookBack = furthest > 0 && TIMED.includes(draft.type)
  const duration = parseDuration(draft.duration)
  const fault = faultIn(draft, duration, able, canLookBack ? furthest : 0)
  const submit = (event: Event): void => {
    event.preventDefault()
    if (fault !== undefined || isStarting) return
    setIsStarting(true)
    setProblem(undefined)
    client
      .peek()
      .act('startCapture', requestOf(draft, duration ?? 0))
      .then(
        (capture: Capture) => isShown() && navigate({ ...CAPTURE, capture: capture.id }),
        (error: unknown) => {
          handleUnauthorized(error)
          setProblem(error)
        },
      )
      .finally(() => setIsStarting(false))
  }
  return (
    <div class="scrolls">
      <form class="broker-form" onSubmit={submit}>
        <FormField title="Service">
          <Combo
            label="Service"
            width={320}
            value={draft.service}
            placeholder="Select a service"
            options={services.map(value => ({
              value,
              note: counted(all.filter(({ service }) => service === value).length, 'instance'),
            }))}
            onChoose={service => change({ service, environment: '', instance: '' })}
          />
        </FormField>
        {environments.length > 0 && (
          <FormField title="Environment">
            <Combo
              label="Environment"
              width={320}
              value={draft.environment === '' ? ANY : draft.environment}
              options={[{ value: ANY, title: 'Any' }, ...environments.map(value => ({ value }))]}
              onChoose={chosen => change({ environment: chosen === ANY ? '' : chosen, instance: '' })}
            />
          </FormField>
        )}
        <FormField title="Instances" hint={hintFor(draft, rows, able)}>
          <Combo
            label="Instances"
            width={320}
            value={draft.all ? ALL : draft.instance === '' ? ANY : draft.instance}
            options={[
              { value: ANY, title: 'Least loaded instance' },
              { value: ALL, title: `All ${counted(able.length, 'instance')}` },
              ...rows.map(({ instance, attributes, component }) => ({
                value: instance,
                note: attributes['service.version'] ?? component.hash,
              })),
            ]}
            onChoose={chosen =>
              change({ all: chosen === ALL, instance: chosen === ALL || chosen === ANY ? '' : chosen })
            }
          />
        </FormField>
        <FormField title="Profile type">
          <Combo
            label="Profile type"
            width={320}
            free
            value={draft.type}
            options={(types.length === 0 ? COMMON_TYPES : types).map(value => ({ value }))}
            onChoose={type => change({ type })}
          />
        </FormField>
        <FormField
          title="Time"
          hint={
            canLookBack
              ? `The past ${formatLength(furthest)} can be captured.`
              : 'No instance keeps past samples of this type.'
          }
        >
          <Tabs
            label="Time"
            options={[
              { value: 'next', title: 'From now' },
              { value: 'last', title: 'Past' },
            ]}
            value={draft.time}
            onChange={time => change({ time })}
          />
        </FormField>
        <FormField title="Duration" hint="For example 10s, 500ms or 1m30s.">
          <DurationInput label="Duration" value={draft.duration} onValue={next => change({ duration: next })} />
        </FormField>
        <FormField
          title="Frequency"
          hint={
            draft.time === 'last'
              ? 'Past samples keep the frequency at which they were recorded.'
              : 'Samples per second. The Node.js agent supports 1 to 1000 Hz.'
          }
        >
          <FrequencyInput value={draft.frequency} onValue={frequency => change({ frequency })} />
        </FormField>
        <FormField title="Reason" hint="A note for the list of captures.">
          <TextInput label="Reason" longest={1024} value={draft.reason} onValue={reason => change({ reason })} />
        </FormField>
        <div class="broker-form-end">
          <button type="submit" class="primary" disabled={fault !== undefined || isStarting}>
            {isStarting ? 'Starting…' : 'Start capture'}
          </button>
          {fault !== undefined && <span class="muted">{fault}</span>}
        </div>
      </form>
      {problem !== undefined && <Failure error={problem} />}
    </div>
  )
}

function hintFor(
  { service, type }: CaptureDraft,
  rows: readonly ComponentRow[],
  able: readonly ComponentRow[],
): string {
  if (service === '') return ''
  if (rows.length === 0) return 'No instance of this service is connected.'
  return `${able.length} of ${counted(rows.length, 'connected instance')} can capture ${type}.`
}

/** Returns what is wrong with the form. `furthest` is how far back samples are kept, in milliseconds. */
function faultIn(
  { service, time, frequency, type }: CaptureDraft,
  duration: number | undefined,
  able: readonly ComponentRow[],
  furthest: number,
): string | undefined {
  if (service === '') return 'Select a service.'
  if (able.length === 0) return `No connected instance can capture ${type}.`
  if (duration === undefined || duration <= 0) return 'Invalid duration; use for example 10s.'
  if (time === 'last' && furthest === 0) return `No instance keeps past samples of ${type}.`
  if (time === 'last' && duration > furthest) return `Past samples are kept for ${formatLength(furthest)} only.`
  if (frequency !== '' && !(Number(frequency) > 0 && Number(frequency) <= 10_000)) {
    return 'Invalid frequency; use 1 to 10,000 Hz.'
  }
  return undefined
}

function requestOf(draft: CaptureDraft, durationMs: number): StartCaptureRequest {
  const { service, environment, instance, all, type, time, frequency, reason } = draft
  return {
    service,
    type,
    all,
    ...(environment === '' ? {} : { environment }),
    ...(instance === '' || all ? {} : { instance }),
    ...(time === 'last' ? { from: `now-${Math.round(durationMs)}ms` } : { durationMs }),
    ...(frequency === '' ? {} : { frequencyHz: Number(frequency) }),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  }
}
