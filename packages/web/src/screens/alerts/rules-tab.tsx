// Alert rules, with an editor of their JSON.
import type { AlertRule, PutAlertRuleRequest } from '@hearth/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { SERVER } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { FormField } from '../../widgets/controls/form-field.tsx'
import { TextInput } from '../../widgets/controls/form-inputs.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { RuleList } from './rule-list.tsx'
import { useAction } from './use-action.ts'

const EXAMPLES: readonly (readonly [name: string, rule: PutAlertRuleRequest])[] = [
  ['regressions', { condition: { kind: 'regression', minIncrease: 5 }, labels: { severity: 'ticket' } }],
  [
    'busy',
    {
      condition: { kind: 'profile', selector: 'cpu:ns{}' },
      groupBy: ['service.name'],
      test: { kind: 'change', percent: 30, against: '1d' },
      window: '15m',
      for: '10m',
    },
  ],
  [
    'locks',
    {
      condition: { kind: 'ledger', service: 'shop', operation: 'GET /search', entry: 'lock' },
      test: { kind: 'above', value: 5_000_000 },
    },
  ],
  [
    'silent',
    { condition: { kind: 'profile', selector: 'cpu:ns{service.name="shop"}' }, test: { kind: 'absent' }, window: '5m' },
  ],
]

export function RulesTab(): JSX.Element {
  const [changes, setChanges] = useState(0)
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const { problem, isRunning, run } = useAction(() => setChanges(old => old + 1))
  const loaded = useLoaded(`alert-rules:${changes}`, signal => client.peek().act('alertRules', {}, { signal }))
  const { value } = loaded
  if (value === undefined) {
    return loaded.error === undefined ? (
      <Progress of={loaded} what="Loading rules" />
    ) : (
      <Failure error={loaded.error} onRetry={loaded.retry} />
    )
  }
  const edit = (rule: string, spec: object): void => {
    setName(rule)
    setText(JSON.stringify(spec, undefined, 2))
  }
  const save = (): void =>
    run(async () => client.peek().act('putAlertRule', JSON.parse(text) as PutAlertRuleRequest, { of: name }))
  return (
    <>
      <h2>Alert rules</h2>
      {value.rules.length === 0 && <p class="muted">No rules. Begin with an example below.</p>}
      <RuleList
        rules={value.rules}
        describe={rule => <span class="muted">{describe(rule)}</span>}
        isRunning={isRunning}
        onEdit={rule => edit(rule.name, withoutName(rule))}
        onDelete={rule => run(() => client.peek().act('removeAlertRule', {}, { of: rule.name }))}
      />
      <h2>Edit a rule</h2>
      <div class="alerts-editor">
        <div class="alerts-buttons">
          <span class="muted">Examples</span>
          {EXAMPLES.map(([example, rule]) => (
            <button key={example} type="button" onClick={() => edit(example, rule)}>
              {example}
            </button>
          ))}
        </div>
        <FormField title="Name">
          <TextInput label="Name" value={name} onValue={setName} longest={63} isCode />
        </FormField>
        <FormField
          title="Rule"
          hint={
            <>
              JSON, as described in the <a href={`${SERVER}docs/alerts.html`}>documentation</a>
            </>
          }
        >
          <textarea
            aria-label="Rule"
            spellcheck={false}
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
        </FormField>
        {problem !== '' && (
          <p class="alerts-problem" role="alert">
            {problem}
          </p>
        )}
        <div class="alerts-buttons">
          <button type="button" class="primary" disabled={isRunning || name === '' || text === ''} onClick={save}>
            Save
          </button>
        </div>
      </div>
    </>
  )
}

function withoutName({ name: _, source: __, ...spec }: AlertRule): object {
  return spec
}

function conditionText(condition: AlertRule['condition']): string {
  switch (condition.kind) {
    case 'metric':
      return condition.metric
    case 'profile':
      return condition.selector
    case 'ledger':
      return `${condition.entry} of ${condition.operation}`
    case 'regression':
      return 'regressions'
  }
}

function describe({ condition, test, for: pending }: AlertRule): string {
  const of = conditionText(condition)
  const limit =
    test === undefined
      ? ''
      : test.kind === 'absent'
        ? ' absent'
        : test.kind === 'change'
          ? ` changes by ${test.percent}% against ${test.against} ago`
          : ` ${test.kind} ${test.value}`
  return `${of}${limit}${pending === undefined ? '' : ` for ${pending}`}`
}
