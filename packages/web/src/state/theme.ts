// Light or dark: what was chosen, or what the system says, as it changes.
import { computed, effect, signal } from '@preact/signals'

export type ThemeChoice = 'system' | 'light' | 'dark'
export type Theme = 'light' | 'dark'

const KEY = 'hearth.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(dark.matches)
dark.addEventListener('change', event => {
  systemIsDark.value = event.matches
})

export const themeChoice = signal<ThemeChoice>(kept())

export const theme = computed<Theme>(() => {
  if (themeChoice.value !== 'system') return themeChoice.value
  return systemIsDark.value ? 'dark' : 'light'
})

/** Puts the theme on the document, now and whenever it changes. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value
  })
}

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice
  try {
    localStorage.setItem(KEY, choice)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

function kept(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system'
  }
}
