// The input for the rule of a trigger. The server parses the rule and returns the error with its position.
import { ApiError } from '@hearth/client'
import type { JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { client } from '../../../state/session.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { excerptAt } from './rule-excerpt.ts'

export interface RuleFieldProps {
  readonly rule: string
  readonly onRule: (rule: string) => void
}

/** The rule is checked when the user has not typed for this long. */
const PAUSE_MS = 350

/** Returns the error if it is about the rule, or undefined. */
export function ruleErrorOf(error: unknown): ApiError | undefined {
  return error instanceof ApiError && error.position !== undefined ? error : undefined
}

export function RuleField({ rule, onRule }: RuleFieldProps): JSX.Element {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const checked = useRuleCheck(rule)
  const error = checked.rule === rule ? checked.error : undefined
  const isValid = checked.rule === rule && error === undefined && rule.trim() !== ''
  const position = error?.position ?? 0
  const excerpt = excerptAt(rule, position)
  return (
    <div class="rule-field">
      <textarea
        ref={area}
        class="code"
        rows={4}
        aria-label="Rule"
        aria-invalid={error !== undefined}
        aria-describedby={id}
        spellcheck={false}
        maxLength={4096}
        placeholder="Source(`checkout`) && SpanSlower(800)"
        value={rule}
        onInput={event => onRule(event.currentTarget.value)}
      />
      <div id={id} role="status">
        {error !== undefined && (
          <div class="rule-error">
            <p class="broker-bad">
              <Icon name="warning" /> {error.message.replace(/^rule: /, '')}
            </p>
            <pre>
              {excerpt.text}
              {'\n'}
              <span class="broker-bad">{excerpt.caret}</span>
            </pre>
            <button
              type="button"
              onClick={() => {
                area.current?.focus()
                area.current?.setSelectionRange(position, position + 1)
              }}
            >
              Go to line {excerpt.line}, column {excerpt.column}
            </button>
          </div>
        )}
        {isValid && (
          <p class="broker-good">
            <Icon name="check" /> Valid rule
          </p>
        )}
      </div>
    </div>
  )
}

interface CheckedRule {
  readonly rule: string
  readonly error: ApiError | undefined
}

/** Checks the rule by a dry run over the last millisecond. The server parses the rule before it examines data. */
function useRuleCheck(rule: string): CheckedRule {
  const [settled, setSettled] = useState(rule)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(rule), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [rule])
  const loaded = useLoaded<CheckedRule>(settled.trim() === '' ? undefined : `rule:${settled}`, async signal => {
    try {
      await client.peek().act('dryRun', { rule: settled, from: 'now-1ms' }, { signal })
      return { rule: settled, error: undefined }
    } catch (caught) {
      const error = ruleErrorOf(caught)
      if (error === undefined) throw caught
      return { rule: settled, error }
    }
  })
  return loaded.value ?? { rule: '', error: undefined }
}
