// How a rule is written: every predicate, how they are joined, and examples to begin with.
import type { JSX } from 'preact'
import { RULE_EXAMPLES, RULE_PREDICATES } from './rule-predicates.ts'

export function RuleHelp({ onUse }: { readonly onUse: (rule: string) => void }): JSX.Element {
  return (
    <section class="rule-help">
      <h2>How to write a rule</h2>
      <p>
        A rule looks at every span, log record and data point as it arrives. Predicates are joined by <code>&&</code>,{' '}
        <code>||</code> and <code>!</code>, and grouped by parentheses. Texts stand in backticks or double quotes; a
        text in braces, as <code>{'`{/cart.*}`'}</code>, is a regular expression for the whole of it.
      </p>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Predicate</th>
            <th scope="col">Fits</th>
          </tr>
        </thead>
        <tbody>
          {RULE_PREDICATES.map(({ name, use, meaning }) => (
            <tr key={name}>
              <td class="code">{use}</td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3>Examples</h3>
      <ul class="rule-examples">
        {RULE_EXAMPLES.map(({ title, rule }) => (
          <li key={title}>
            <span>{title}</span>
            <code>{rule}</code>
            <button type="button" aria-label={`Use: ${title}`} onClick={() => onUse(rule)}>
              Use
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
