// A trigger as it is made or changed: the rule, what to capture, what holds it back; and what it would have done.
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
import { DurationInput, FrequencyInput, NumberInput, TextInput, Tick } from '../../../widgets/controls/form-inputs.tsx'
import { RemoveTrigger } from './remove-trigger.tsx'
import { RuleField, ruleFault } from './rule-field.tsx'
import { RuleHelp } from './rule-help.tsx'
import type { TriggerDraft } from './trigger-draft.ts'
import { draftOf, faultIn, specOf } from './trigger-draft.ts'

export interface TriggerEditorProps {
  /** Undefined for a new one. */
  readonly trigger: Trigger | undefined
  readonly onChanged: () => void
}

const LIST = { ...BROKER, tab: 'triggers' } as const
const TYPES = ['cpu', 'wall', 'heap']
const RANGES = [
  ['now-15m', 'the last 15 minutes'],
  ['now-1h', 'the last hour'],
  ['now-6h', 'the last 6 hours'],
  ['now-1d', 'the last day'],
] as const

interface Asked {
  /** For the how-manieth time. */
  readonly count: number
  readonly request: DryRunRequest
}

export function TriggerEditor({ trigger, onChanged }: TriggerEditorProps): JSX.Element {
  const [draft, setDraft] = useState(draftOf(trigger))
  const [problem, setProblem] = useState<unknown>(undefined)
  const [isSaving, setIsSaving] = useState(false)
  const [isRemoving, setIsRemoving] = useState(false)
  const [range, setRange] = useState('now-1h')
  const [asked, setAsked] = useState<Asked | undefined>(undefined)
  const isShown = useMounted()
  const change = (to: Partial<TriggerDraft>): void => setDraft(old => ({ ...old, ...to }))
  const run = useLoaded<DryRunResponse>(asked === undefined ? undefined : JSON.stringify(asked), signal =>
    client.peek().act('dryRun', asked!.request, { signal }),
  )
  const fault = faultIn(draft)
  const dryRun = (): void =>
    setAsked({
      count: (asked?.count ?? 0) + 1,
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
          <FormField title="Captures">
            <Combo
              label="Captures"
              width={130}
              free
              value={draft.type}
              options={TYPES.map(value => ({ value }))}
              onChoose={type => change({ type })}
            />
          </FormField>
          <FormField title="For" hint="Where what ran in the span itself cannot be had, this much of what comes next.">
            <DurationInput label="For" value={draft.duration} onValue={duration => change({ duration })} />
          </FormField>
          <FormField title="Frequency" hint="Of what comes next; what has been recorded keeps its rate.">
            <FrequencyInput value={draft.frequency} onValue={frequency => change({ frequency })} />
          </FormField>
          <FormField title="Look back">
            <Tick
              label="What ran in the span itself, where the process still has it"
              isOn={draft.lookBack}
              onChange={lookBack => change({ lookBack })}
            />
            <Tick
              label="Only samples that belong to the span"
              isOn={draft.spanOnly}
              onChange={spanOnly => change({ spanOnly })}
            />
          </FormField>
          <FormField title="Cool-down" hint="How long an instance is left alone after a capture by this trigger.">
            <DurationInput label="Cool-down" value={draft.coolDown} onValue={coolDown => change({ coolDown })} />
          </FormField>
          <FormField
            title="Percentage"
            hint="How much of what fits leads to a capture. Besides, an instance has one capture at a time."
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
          <FormField
            title="Budget"
            hint="Of all instances together. Besides, all triggers share a budget for each minute."
          >
            <NumberInput
              label="Budget: captures in an hour"
              unit="captures an hour"
              least={1}
              most={1_000_000}
              placeholder="none"
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
            <Tick label="Switched on" isOn={draft.enabled} onChange={enabled => change({ enabled })} />
          </FormField>
          <div class="broker-form-end">
            <button type="submit" class="primary" disabled={fault !== undefined || isSaving}>
              {isSaving ? 'Saving…' : 'Save'}
            </button>
            <RouteLink class="button" to={LIST}>
              Leave it
            </RouteLink>
            {fault !== undefined && <span class="muted">{fault}</span>}
          </div>
          {problem !== undefined && ruleFault(problem) === undefined && <Failure error={problem} />}
        </form>
        <div class="scrolls trigger-side" tabIndex={0} role="region" aria-label="Dry run and help">
          <section class="dry-run" aria-label="Dry run">
            <div class="dry-run-head">
              <h2>What it would have done in</h2>
              <select
                aria-label="Time of the dry run"
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
                Dry run
              </button>
            </div>
            <Progress of={run} what="Looking at what is stored" />
            {asked === undefined ? (
              <p class="muted">Nothing is captured by a dry run; it only looks at what is stored.</p>
            ) : run.error !== undefined && !run.loading ? (
              ruleFault(run.error) === undefined ? (
                <Failure error={run.error} onRetry={run.retry} />
              ) : (
                <p class="broker-bad">The rule cannot be read; what is wrong stands below it.</p>
              )
            ) : (
              run.value !== undefined && <DryRun answer={run.value} isStale={run.slow} />
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
