// `node --import @hearth/agent/register app.js` or `import '@hearth/agent/register'`: starts the agent as the environment says,
// and lets the application begin when it records.
import { start } from './agent.ts'

try {
  await start().ready
} catch {
  // The application goes on without.
}
