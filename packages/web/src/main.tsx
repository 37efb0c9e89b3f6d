// Starts the application.
import { render } from 'preact'
import { App } from './app.tsx'
import { HAS_FILES_ALONE } from './screens/screens.ts'
import { listenToKeys } from './state/commands.ts'
import { alignClock } from './state/load-time.ts'
import { applyTheme } from './state/theme.ts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'

applyTheme()
listenToKeys()
if (!HAS_FILES_ALONE) void alignClock()
render(<App />, document.getElementById('app')!)
