// Starts the application.
import { render } from 'preact'
import { App } from './app.tsx'
import { listenToKeys } from './state/commands.ts'
import { applyTheme } from './state/theme.ts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'

applyTheme()
listenToKeys()
render(<App />, document.getElementById('app')!)
