// Starts the agent with the settings of the environment: `node --import @hearth/agent/register app.js`. The application starts
// when the agent records.
import { start } from './agent.ts'

try {
  await start().ready
} catch {
  // The application runs without the agent.
}
