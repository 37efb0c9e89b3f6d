// What to capture, and of whom. What is chosen stands in the address, so that a capture can be proposed by a link.
import type { Capture, ComponentRow, StartCaptureRequest } from '@hearth/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { CaptureRoute, CaptureWish } from '../../../address/broker-route.ts'
import { BROKER, CAPTURE } from '../../../address/broker-route.ts'
import { navigate } from '../../../state/navigation.ts'
import { client, handleUnauthorized } from '../../../state/session.ts'
import type { Loaded } from '../../../state/use-loaded.ts'
import { useMounted } from '../../../state/use-mounted.ts'
import { usePolled } from '../../../state/use-polled.ts'
import { durationText, parseDuration } from '../../../address/time-range.ts'
import { Combo } from '../../../widgets/controls/combo.tsx'
import { Failure } from '../../../widgets/failure.tsx'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { Tabs } from '../../../widgets/controls/tabs.tsx'
import { counted } from '../../../widgets/counted.ts'
import { EmptyComponents } from '../components/empty-components.tsx'
import { FormField } from '../../../widgets/controls/form-field.tsx'
import { DurationInput, FrequencyInput, TextInput } from '../../../widgets/controls/form-inputs.tsx'
import { canCapture, records, typesOf } from '../components/group-components.ts'

const EVERY_MS = 3000
/** What agents know, offered where nobody says what it records. */
const USUAL_TYPES = ['cpu', 'wall', 'heap']
/** Of heaps there is only a now. */
const TIMED = ['cpu', 'wall']
const ANY = '\u0000any'
const ALL = '\u0000all'

export function CaptureForm({ route }: { readonly route: CaptureRoute }): JSX.Element {
  const loaded = usePolled('capture-components', { everyMs: EVERY_MS }, async signal => {
    return (await client.peek().act('components', {}, { signal })).components.filter(canCapture)
  })
  return (
    <div class="explore broker">
      <div class="bar">
        <RouteLink class="button plain" to={BROKER}>
          <Icon name="back" /> Components
        </RouteLink>
        <h1 class="broker-title">Capture now</h1>
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
  const { wish } = route
  const [isAsking, setIsAsking] = useState(false)
  const [problem, setProblem] = useState<unknown>(undefined)
  const isShown = useMounted()
  if (components.value === undefined) {
    if (components.error !== undefined) return <Failure error={components.error} onRetry={components.retry} />
    return <Progress of={components} what="Asking who is there" />
  }
  const all = components.value
  if (all.length === 0) return <EmptyComponents />
  const change = (to: Partial<CaptureWish>): void => navigate({ ...route, wish: { ...wish, ...to } }, 'replace')
  const services = [...new Set(all.map(({ service }) => service))].sort()
  const ofService = all.filter(({ service }) => service === wish.service)
  const environments = [...new Set(ofService.map(({ environment }) => environment))].filter(name => name !== '').sort()
  const rows = ofService.filter(({ environment }) => wish.environment === '' || environment === wish.environment)
  const able = rows.filter(row => records(row, wish.type))
  const types = typesOf(rows)
  const furthest = Math.max(0, ...able.map(({ lookBackSeconds = 0 }) => lookBackSeconds)) * 1000
  const canLookBack = furthest > 0 && TIMED.includes(wish.type)
  const duration = parseDuration(wish.duration)
  const fault = faultIn(wish, duration, able, canLookBack ? furthest : 0)
  const submit = (event: Event): void => {
    event.preventDefault()
    if (fault !== undefined || isAsking) return
    setIsAsking(true)
    setProblem(undefined)
    client
      .peek()
      .act('startCapture', requestOf(wish, duration ?? 0))
      .then(
        (capture: Capture) => isShown() && navigate({ ...CAPTURE, capture: capture.id }),
        (error: unknown) => {
          handleUnauthorized(error)
          setProblem(error)
        },
      )
      .finally(() => setIsAsking(false))
  }
  return (
    <div class="scrolls">
      <form class="broker-form" onSubmit={submit}>
        <FormField title="Service">
          <Combo
            label="Service"
            width={320}
            value={wish.service}
            placeholder="Choose one"
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
              value={wish.environment === '' ? ANY : wish.environment}
              options={[{ value: ANY, title: 'Any' }, ...environments.map(value => ({ value }))]}
              onChoose={chosen => change({ environment: chosen === ANY ? '' : chosen, instance: '' })}
            />
          </FormField>
        )}
        <FormField title="Instances" hint={hintFor(wish, rows, able)}>
          <Combo
            label="Instances"
            width={320}
            value={wish.all ? ALL : wish.instance === '' ? ANY : wish.instance}
            options={[
              { value: ANY, title: 'The one with the least to do' },
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
        <FormField title="What">
          <Combo
            label="What"
            width={320}
            free
            value={wish.type}
            options={(types.length === 0 ? USUAL_TYPES : types).map(value => ({ value }))}
            onChoose={type => change({ type })}
          />
        </FormField>
        <FormField
          title="When"
          hint={
            canLookBack
              ? `What has run already can be had for ${durationText(furthest)}.`
              : 'None of them keeps what has run already, so only what comes can be recorded.'
          }
        >
          <Tabs
            label="When"
            options={[
              { value: 'next', title: 'From now on' },
              { value: 'last', title: 'Look back' },
            ]}
            value={wish.time}
            onChange={time => change({ time })}
          />
        </FormField>
        <FormField title="How long" hint="As 10s, 500ms or 1m30s.">
          <DurationInput label="How long" value={wish.duration} onValue={next => change({ duration: next })} />
        </FormField>
        <FormField
          title="Frequency"
          hint={
            wish.time === 'last'
              ? 'What has been recorded keeps its rate.'
              : 'Samples a second, as far as an instance can; the Node agent from 1 to 1000.'
          }
        >
          <FrequencyInput value={wish.frequency} onValue={frequency => change({ frequency })} />
        </FormField>
        <FormField title="Reason" hint="For those who look at it later.">
          <TextInput label="Reason" longest={1024} value={wish.reason} onValue={reason => change({ reason })} />
        </FormField>
        <div class="broker-form-end">
          <button type="submit" class="primary" disabled={fault !== undefined || isAsking}>
            {isAsking ? 'Asking…' : 'Capture'}
          </button>
          {fault !== undefined && <span class="muted">{fault}</span>}
        </div>
      </form>
      {problem !== undefined && <Failure error={problem} />}
    </div>
  )
}

function hintFor({ service, type }: CaptureWish, rows: readonly ComponentRow[], able: readonly ComponentRow[]): string {
  if (service === '') return ''
  if (rows.length === 0) return 'No instance of this service is subscribed now.'
  if (rows.length === 1 && able.length === 1) return `The only instance can be asked for ${type}.`
  return able.length === rows.length
    ? `All ${counted(rows.length, 'instance')} can be asked for ${type}.`
    : `${able.length} of ${counted(rows.length, 'instance')} can be asked for ${type}.`
}

/** Why it cannot be asked for as it is; `furthest` is how far one can look back, in milliseconds. */
function faultIn(
  { service, time, frequency, type }: CaptureWish,
  duration: number | undefined,
  able: readonly ComponentRow[],
  furthest: number,
): string | undefined {
  if (service === '') return 'Choose a service.'
  if (able.length === 0) return `No instance that is subscribed records ${type}.`
  if (duration === undefined || duration <= 0) return 'How long is no length of time.'
  if (time === 'last' && furthest === 0) return `Nobody can look back at ${type}.`
  if (time === 'last' && duration > furthest) return `Nobody can look back further than ${durationText(furthest)}.`
  if (frequency !== '' && !(Number(frequency) > 0 && Number(frequency) <= 10_000)) return 'The frequency is none.'
  return undefined
}

function requestOf(wish: CaptureWish, durationMs: number): StartCaptureRequest {
  const { service, environment, instance, all, type, time, frequency, reason } = wish
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
