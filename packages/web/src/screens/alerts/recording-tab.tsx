// Recording rules, with an editor and a preview of the points.
import type { PreviewRecordingRuleResponse, PutRecordingRuleRequest, RecordingRule } from '@hearth/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { FormField } from '../../widgets/controls/form-field.tsx'
import { DurationInput, TextInput } from '../../widgets/controls/form-inputs.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { RuleList } from './rule-list.tsx'
import { useAction } from './use-action.ts'

const PER = ['second', 'core', 'request'] as const

interface Draft {
  readonly name: string
  readonly of: 'profiles' | 'ledger'
  readonly selector: string
  readonly operation: string
  readonly service: string
  readonly groupBy: string
  readonly per: (typeof PER)[number]
  readonly interval: string
  /** Fields without an input, which a change keeps. */
  readonly kept: Pick<RecordingRule, 'labels' | 'description'>
}

const NEW: Draft = {
  name: '',
  of: 'profiles',
  selector: 'cpu:ns{} | frame "JSON.parse"',
  operation: '',
  service: '',
  groupBy: 'service.name',
  per: 'core',
  interval: '1m',
  kept: {},
}

function specOf({ of, selector, operation, service, groupBy, per, interval, kept }: Draft): PutRecordingRuleRequest {
  const keys = groupBy.split(',').map(key => key.trim())
  const common = { ...kept, interval, groupBy: keys.filter(key => key !== '') }
  if (of === 'profiles') return { selector, per, ...common }
  return { ledger: { operation, ...(service === '' ? {} : { service }) }, ...common }
}

function draftOf(rule: RecordingRule): Draft {
  const { name, selector, ledger, groupBy = [], per = 'second', interval = '1m', labels, description } = rule
  const kept = { ...(labels && { labels }), ...(description !== undefined && { description }) }
  const common = { name, groupBy: groupBy.join(', '), per, interval, kept }
  if (ledger === undefined) return { ...NEW, ...common, selector: selector ?? '' }
  return { ...NEW, ...common, of: 'ledger', operation: ledger.operation, service: ledger.service ?? '' }
}

export function RecordingTab(): JSX.Element {
  const [changes, setChanges] = useState(0)
  const [draft, setDraft] = useState(NEW)
  const [shown, setShown] = useState<PutRecordingRuleRequest | undefined>(undefined)
  const { problem, isRunning, run } = useAction(() => setChanges(old => old + 1))
  const change = (to: Partial<Draft>): void => setDraft(old => ({ ...old, ...to }))
  const loaded = useLoaded(`recording-rules:${changes}`, signal => client.peek().act('recordingRules', {}, { signal }))
  const preview = useLoaded(shown === undefined ? undefined : `preview:${JSON.stringify(shown)}`, signal =>
    client.peek().act('previewRecordingRule', shown!, { signal }),
  )
  const { value } = loaded
  if (value === undefined) {
    return loaded.error === undefined ? (
      <Progress of={loaded} what="Loading rules" />
    ) : (
      <Failure error={loaded.error} onRetry={loaded.retry} />
    )
  }
  return (
    <>
      <h2>Recording rules</h2>
      {value.rules.length === 0 && <p class="muted">No rules. A rule turns profiles or time ledgers into a metric.</p>}
      <RuleList
        rules={value.rules}
        describe={rule => (
          <>
            <Source rule={rule} />{' '}
            {rule.recorded?.error !== undefined && <span class="alerts-problem">{rule.recorded.error}</span>}
          </>
        )}
        isRunning={isRunning}
        onEdit={rule => setDraft(draftOf(rule))}
        onDelete={rule => run(() => client.peek().act('removeRecordingRule', {}, { of: rule.name }))}
      />
      <h2>Edit a rule</h2>
      <div class="alerts-editor">
        <FormField title="Name" hint="The name of the metric">
          <TextInput label="Name" value={draft.name} onValue={name => change({ name })} longest={63} isCode />
        </FormField>
        <FormField title="Of">
          <select
            aria-label="Of"
            value={draft.of}
            onChange={event => change({ of: event.currentTarget.value === 'ledger' ? 'ledger' : 'profiles' })}
          >
            <option value="profiles">profiles</option>
            <option value="ledger">time ledgers of an operation</option>
          </select>
        </FormField>
        {draft.of === 'profiles' ? (
          <FormField title="Selector">
            <TextInput
              label="Selector"
              value={draft.selector}
              onValue={selector => change({ selector })}
              longest={16_384}
              isCode
            />
          </FormField>
        ) : (
          <>
            <FormField title="Operation" hint="The name of the spans, such as GET /search">
              <TextInput
                label="Operation"
                value={draft.operation}
                onValue={operation => change({ operation })}
                longest={1024}
                isCode
              />
            </FormField>
            <FormField title="Service" hint="Empty for any service">
              <TextInput
                label="Service"
                value={draft.service}
                onValue={service => change({ service })}
                longest={1024}
                isCode
              />
            </FormField>
          </>
        )}
        <FormField title="Group by" hint="Attributes, separated by commas">
          <TextInput
            label="Group by"
            value={draft.groupBy}
            onValue={groupBy => change({ groupBy })}
            longest={1024}
            isCode
          />
        </FormField>
        {draft.of === 'profiles' && (
          <FormField title="Per">
            <select
              aria-label="Per"
              value={draft.per}
              onChange={event => change({ per: PER.find(each => each === event.currentTarget.value) ?? 'second' })}
            >
              {PER.map(each => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          </FormField>
        )}
        <FormField title="Interval">
          <DurationInput label="Interval" value={draft.interval} onValue={interval => change({ interval })} />
        </FormField>
        {problem !== '' && (
          <p class="alerts-problem" role="alert">
            {problem}
          </p>
        )}
        <div class="alerts-buttons">
          <button type="button" onClick={() => setShown(specOf(draft))}>
            Preview the last hour
          </button>
          <button
            type="button"
            class="primary"
            disabled={isRunning || draft.name === ''}
            onClick={() => run(() => client.peek().act('putRecordingRule', specOf(draft), { of: draft.name }))}
          >
            Save
          </button>
        </div>
      </div>
      {preview.error !== undefined && <Failure error={preview.error} onRetry={preview.retry} />}
      {preview.value !== undefined && <Preview result={preview.value} />}
    </>
  )
}

function Source({ rule: { selector, ledger, per = 'second' } }: { readonly rule: RecordingRule }): JSX.Element {
  return ledger === undefined ? (
    <>
      <span class="code">{selector}</span> per {per}
    </>
  ) : (
    <>
      time ledgers of <span class="code">{ledger.operation}</span> {ledger.service}
    </>
  )
}

function Preview({ result: { unit, points } }: { readonly result: PreviewRecordingRuleResponse }): JSX.Element {
  const groups = new Map<string, number[]>()
  for (const { labels, value } of points) {
    const key = Object.entries(labels)
      .map(([label, text]) => `${label}=${text}`)
      .join(', ')
    groups.set(key, [...(groups.get(key) ?? []), value])
  }
  if (groups.size === 0) return <p class="muted">No data in this range.</p>
  const text = (value: number): string => `${value.toLocaleString('en', { maximumSignificantDigits: 3 })} ${unit}`
  return (
    <table class="plain-table">
      <thead>
        <tr>
          <th scope="col">Group</th>
          <th scope="col">Last hour</th>
          <th scope="col" class="number">
            Last
          </th>
          <th scope="col" class="number">
            Maximum
          </th>
        </tr>
      </thead>
      <tbody>
        {[...groups].map(([key, values]) => (
          <tr key={key}>
            <td class="code">{key === '' ? 'all' : key}</td>
            <td>
              <Line values={values} />
            </td>
            <td class="number">{text(values.at(-1) ?? 0)}</td>
            <td class="number">{text(Math.max(...values))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Line({ values }: { readonly values: readonly number[] }): JSX.Element {
  const most = Math.max(...values, Number.MIN_VALUE)
  const width = Math.max(1, values.length - 1)
  const path = values.map((value, i) => `${i === 0 ? 'M' : 'L'}${(i / width) * 220} ${30 - (28 * value) / most}`)
  return (
    <svg class="alerts-preview" viewBox="0 0 220 32" aria-hidden="true">
      <path d={path.join('')} />
    </svg>
  )
}
