// The theme that colours are made for.
export type Theme = 'light' | 'dark'
