// Runs the agent's own requests without spans. Otherwise an instrumented http module would trace them, and the profiles of that
// would be exported again. The context manager comes from the global object that all copies of @opentelemetry/api share, so it
// is the application's own, and nothing is imported.

const API = Symbol.for('opentelemetry.js.api.1')
/** The key of @opentelemetry/core. */
const SUPPRESS = Symbol.for('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

interface Context {
  setValue(key: symbol, value: unknown): Context
}

interface ContextManager {
  active(): Context
  with<T>(context: Context, run: () => T): T
}

export function withoutTracing<T>(run: () => T): T {
  const api = (globalThis as { readonly [API]?: { readonly context?: ContextManager } })[API]
  const manager = api?.context
  if (manager === undefined) return run()
  let context: Context
  try {
    context = manager.active().setValue(SUPPRESS, true)
  } catch {
    return run()
  }
  return manager.with(context, run)
}
