// The jobs that fetch profiles, as a setting.
import type { ScrapeJob } from '../scrape/scrape-config.ts'
import { ScrapeConfigError, parseScrapeConfigs } from '../scrape/scrape-config.ts'
import { ValueError } from './setting-values.ts'

export function scrapeConfigs(text: string): readonly ScrapeJob[] {
  try {
    return parseScrapeConfigs(text)
  } catch (error) {
    if (error instanceof ScrapeConfigError) throw new ValueError(error.message, { cause: error })
    throw error
  }
}
