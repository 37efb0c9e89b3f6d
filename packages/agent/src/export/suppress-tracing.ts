// Runs the agent's own requests without spans: an instrumented http module would otherwise trace them, and the profiles of that
// would be exported again. The context manager is taken from where every copy of @opentelemetry/api keeps it, so that it is that
// of the application, whichever copy the application has, and nothing need be imported.

const API = Symbol.for('opentelemetry.js.api.1')
/** As @opentelemetry/core names it. */
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
