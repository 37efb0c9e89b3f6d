// The form that creates or edits a trigger, with a dry run of its rule.
import type { DryRunResponse, DryRunRequest, Trigger } from '@hearth/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { BROKER } from '../../../address/broker-route.ts'
import { navigate } from '../../../state/navigation.ts'
import { client, handleUnauthorized } from '../../../state/session.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { useMounted } from '../../../state/use-mounted.ts'
import { parseDuration } from '../../../address/time-range.ts'
import { Combo } from '../../../widgets/controls/combo.tsx'
import { Failure } from '../../../widgets/failure.tsx'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { DryRun } from './dry-run.tsx'
import { FormField } from '../../../widgets/controls/form-field.tsx'
import {
  DurationInput,
  FrequencyInput,
  NumberInput,
  TextInput,
  CheckBox,
} from '../../../widgets/controls/form-inputs.tsx'
import { RemoveTrigger } from './remove-trigger.tsx'
import { RuleField, ruleErrorOf } from './rule-field.tsx'
import { RuleHelp } from './rule-help.tsx'
import type { TriggerDraft } from './trigger-draft.ts'
import { triggerDraftOf, faultIn, specOf } from './trigger-draft.ts'

export interface TriggerEditorProps {
  /** Undefined for a new one. */
  readonly trigger: Trigger | undefined
  readonly onChanged: () => void
}

const LIST = { ...BROKER, tab: 'triggers' } as const
const TYPES = ['cpu', 'wall', 'heap']
const RANGES = [
  ['now-15m', 'Last 15 minutes'],
  ['now-1h', 'Last 1 hour'],
  ['now-6h', 'Last 6 hours'],
  ['now-1d', 'Last 24 hours'],
] as const

interface StartedDryRun {
  /** The number of the dry run. It makes the loading key of each one unique. */
  readonly count: number
  readonly request: DryRunRequest
}

export function TriggerEditor({ trigger, onChanged }: TriggerEditorProps): JSX.Element {
  const [draft, setDraft] = useState(triggerDraftOf(trigger))
  const [problem, setProblem] = useState<unknown>(undefined)
  const [isSaving, setIsSaving] = useState(false)
  const [isRemoving, setIsRemoving] = useState(false)
  const [range, setRange] = useState('now-1h')
  const [started, setStarted] = useState<StartedDryRun | undefined>(undefined)
  const isShown = useMounted()
  const change = (to: Partial<TriggerDraft>): void => setDraft(old => ({ ...old, ...to }))
  const run = useLoaded<DryRunResponse>(started === undefined ? undefined : JSON.stringify(started), signal =>
    client.peek().act('dryRun', started!.request, { signal }),
  )
  const fault = faultIn(draft)
  const dryRun = (): void =>
    setStarted({
      count: (started?.count ?? 0) + 1,
      request: {
        rule: draft.rule,
        coolDownMs: parseDuration(draft.coolDown) ?? 0,
        percentage: Number(draft.percentage) || 100,
        ...(Number(draft.budget) > 0 ? { budgetPerHour: Number(draft.budget) } : {}),
        from: range,
      },
    })
  const save = async (): Promise<void> => {
    setIsSaving(true)
    setProblem(undefined)
    try {
      const spec = specOf(draft)
      if (trigger === undefined) await client.peek().act('addTrigger', { name: draft.name, ...spec })
      else await client.peek().act('changeTrigger', spec, { of: trigger.name })
      onChanged()
      if (isShown()) navigate(LIST)
    } catch (error) {
      handleUnauthorized(error)
      setProblem(error)
    } finally {
      setIsSaving(false)
    }
  }
  return (
    <>
      <div class="bar">
        <RouteLink class="button plain" to={LIST}>
          <Icon name="back" /> Triggers
        </RouteLink>
        <h2 class="broker-title">{trigger === undefined ? 'New trigger' : trigger.name}</h2>
        <span class="spring" />
        {trigger !== undefined && (
          <button type="button" onClick={() => setIsRemoving(true)}>
            Delete
          </button>
        )}
      </div>
      <div class="trigger-editor">
        <form
          class="broker-form scrolls"
          onSubmit={event => {
            event.preventDefault()
            if (fault === undefined && !isSaving) void save()
          }}
        >
          <FormField title="Name">
            <TextInput
              label="Name"
              longest={63}
              isCode
              isFixed={trigger !== undefined}
              value={draft.name}
              onValue={name => change({ name })}
            />
          </FormField>
          <FormField title="Rule">
            <RuleField rule={draft.rule} onRule={rule => change({ rule })} />
          </FormField>
          <FormField title="Profile type">
            <Combo
              label="Profile type"
              width={130}
              free
              value={draft.type}
              options={TYPES.map(value => ({ value }))}
              onChoose={type => change({ type })}
            />
          </FormField>
          <FormField title="Duration" hint="How long to record if past samples of the span are not available.">
            <DurationInput label="Duration" value={draft.duration} onValue={duration => change({ duration })} />
          </FormField>
          <FormField
            title="Frequency"
            hint="For new samples. Past samples keep the frequency at which they were recorded."
          >
            <FrequencyInput value={draft.frequency} onValue={frequency => change({ frequency })} />
          </FormField>
          <FormField title="Past samples">
            <CheckBox
              label="Capture the samples of the span itself if the process still has them"
              isOn={draft.lookBack}
              onChange={lookBack => change({ lookBack })}
            />
            <CheckBox
              label="Capture only samples of the span"
              isOn={draft.spanOnly}
              onChange={spanOnly => change({ spanOnly })}
            />
          </FormField>
          <FormField title="Cool-down" hint="The minimum time between two captures of an instance by this trigger.">
            <DurationInput label="Cool-down" value={draft.coolDown} onValue={coolDown => change({ coolDown })} />
          </FormField>
          <FormField
            title="Percentage"
            hint="The share of matches that start a capture. An instance has at most one capture at a time."
          >
            <NumberInput
              label="Percentage"
              unit="%"
              least={0.001}
              most={100}
              value={draft.percentage}
              onValue={percentage => change({ percentage })}
            />
          </FormField>
          <FormField title="Budget" hint="The limit for all instances. All triggers also share a budget per minute.">
            <NumberInput
              label="Budget: captures per hour"
              unit="captures per hour"
              least={1}
              most={1_000_000}
              placeholder="unlimited"
              value={draft.budget}
              onValue={budget => change({ budget })}
            />
          </FormField>
          <FormField title="Description">
            <TextInput
              label="Description"
              longest={1024}
              value={draft.description}
              onValue={description => change({ description })}
            />
          </FormField>
          <FormField title="">
            <CheckBox label="Enabled" isOn={draft.enabled} onChange={enabled => change({ enabled })} />
          </FormField>
          <div class="broker-form-end">
            <button type="submit" class="primary" disabled={fault !== undefined || isSaving}>
              {isSaving ? 'Saving…' : 'Save'}
            </button>
            <RouteLink class="button" to={LIST}>
              Cancel
            </RouteLink>
            {fault !== undefined && <span class="muted">{fault}</span>}
          </div>
          {problem !== undefined && ruleErrorOf(problem) === undefined && <Failure error={problem} />}
        </form>
        <div class="scrolls trigger-side" tabIndex={0} role="region" aria-label="Dry run and help">
          <section class="dry-run" aria-label="Dry run">
            <div class="dry-run-head">
              <h2>Dry run</h2>
              <select
                aria-label="Time range of the dry run"
                value={range}
                onChange={event => setRange(event.currentTarget.value)}
              >
                {RANGES.map(([value, title]) => (
                  <option key={value} value={value}>
                    {title}
                  </option>
                ))}
              </select>
              <button type="button" disabled={draft.rule.trim() === ''} onClick={dryRun}>
                Run
              </button>
            </div>
            <Progress of={run} what="Running the rule" />
            {started === undefined ? (
              <p class="muted">Evaluates the rule on stored data. It does not start captures.</p>
            ) : run.error !== undefined && !run.loading ? (
              ruleErrorOf(run.error) === undefined ? (
                <Failure error={run.error} onRetry={run.retry} />
              ) : (
                <p class="broker-bad">Invalid rule</p>
              )
            ) : (
              run.value !== undefined && <DryRun result={run.value} isStale={run.slow} />
            )}
          </section>
          <RuleHelp onUse={rule => change({ rule })} />
        </div>
      </div>
      {isRemoving && trigger !== undefined && (
        <RemoveTrigger
          name={trigger.name}
          onClose={() => setIsRemoving(false)}
          onRemoved={() => {
            onChanged()
            if (isShown()) navigate(LIST)
          }}
        />
      )}
    </>
  )
}
