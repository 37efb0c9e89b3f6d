// Rules with buttons to edit and delete them. Rules of the server's file are read-only.
import type { ComponentChildren, JSX } from 'preact'

interface NamedRule {
  readonly name: string
  readonly source: string
}

export interface RuleListProps<Rule extends NamedRule> {
  readonly rules: readonly Rule[]
  readonly describe: (rule: Rule) => ComponentChildren
  readonly isRunning: boolean
  readonly onEdit: (rule: Rule) => void
  readonly onDelete: (rule: Rule) => void
}

export function RuleList<Rule extends NamedRule>(props: RuleListProps<Rule>): JSX.Element {
  const { rules, describe, isRunning, onEdit, onDelete } = props
  return (
    <ul>
      {rules.map(rule => (
        <li key={rule.name}>
          <strong>{rule.name}</strong> {describe(rule)}{' '}
          {rule.source === 'file' ? (
            <span class="muted">(from the rule file)</span>
          ) : (
            <>
              <button type="button" onClick={() => onEdit(rule)}>
                Edit
              </button>{' '}
              <button type="button" disabled={isRunning} onClick={() => onDelete(rule)}>
                Delete
              </button>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
