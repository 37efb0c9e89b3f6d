// The help for rules: predicates, operators and examples.
import type { JSX } from 'preact'
import { RULE_EXAMPLES, RULE_PREDICATES } from './rule-predicates.ts'

export function RuleHelp({ onUse }: { readonly onUse: (rule: string) => void }): JSX.Element {
  return (
    <section class="rule-help">
      <h2>Rule syntax</h2>
      <p>
        A rule is evaluated for each span, log record and data point that arrives. Combine predicates with{' '}
        <code>&&</code>, <code>||</code>, <code>!</code> and parentheses. Write strings in backticks or double quotes. A
        string in braces, such as <code>{'`{/cart.*}`'}</code>, is a regular expression that must match the whole value.
      </p>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Predicate</th>
            <th scope="col">Matches</th>
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
