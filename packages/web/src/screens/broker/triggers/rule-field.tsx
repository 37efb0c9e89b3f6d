// The rule of a trigger as it is typed. The server, whose parser is the one that counts, says what is wrong and where.
import { ApiError } from '@hearth/client'
import type { JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { client } from '../../../state/session.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { placeIn } from './rule-place.ts'

export interface RuleFieldProps {
  readonly rule: string
  readonly onRule: (rule: string) => void
}

/** While one types, until it is meant. */
const PAUSE_MS = 350

/** What is wrong with a rule; undefined where it is not about the rule. */
export function ruleFault(error: unknown): ApiError | undefined {
  return error instanceof ApiError && error.position !== undefined ? error : undefined
}

export function RuleField({ rule, onRule }: RuleFieldProps): JSX.Element {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const checked = useRuleCheck(rule)
  const fault = checked.rule === rule ? checked.fault : undefined
  const isGood = checked.rule === rule && fault === undefined && rule.trim() !== ''
  const position = fault?.position ?? 0
  const place = placeIn(rule, position)
  return (
    <div class="rule-field">
      <textarea
        ref={area}
        class="code"
        rows={4}
        aria-label="Rule"
        aria-invalid={fault !== undefined}
        aria-describedby={id}
        spellcheck={false}
        maxLength={4096}
        placeholder="Source(`checkout`) && SpanSlower(800)"
        value={rule}
        onInput={event => onRule(event.currentTarget.value)}
      />
      <div id={id} role="status">
        {fault !== undefined && (
          <div class="rule-fault">
            <p class="broker-bad">
              <Icon name="warning" /> {fault.message.replace(/^rule: /, '')}
            </p>
            <pre>
              {place.text}
              {'\n'}
              <span class="broker-bad">{place.caret}</span>
            </pre>
            <button
              type="button"
              onClick={() => {
                area.current?.focus()
                area.current?.setSelectionRange(position, position + 1)
              }}
            >
              Go to line {place.line}, column {place.column}
            </button>
          </div>
        )}
        {isGood && (
          <p class="broker-good">
            <Icon name="check" /> The rule can be read
          </p>
        )}
      </div>
    </div>
  )
}

interface Checked {
  readonly rule: string
  readonly fault: ApiError | undefined
}

/** Asks about the last millisecond alone: the rule is read before anything is looked at. */
function useRuleCheck(rule: string): Checked {
  const [settled, setSettled] = useState(rule)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(rule), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [rule])
  const loaded = useLoaded<Checked>(settled.trim() === '' ? undefined : `rule:${settled}`, async signal => {
    try {
      await client.peek().act('dryRun', { rule: settled, from: 'now-1ms' }, { signal })
      return { rule: settled, fault: undefined }
    } catch (error) {
      const fault = ruleFault(error)
      if (fault === undefined) throw error
      return { rule: settled, fault }
    }
  })
  return loaded.value ?? { rule: '', fault: undefined }
}
