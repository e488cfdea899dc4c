// Types that other plugins may import from this package.
import { capability, hook, type Item } from '@playhead/sdk'

export interface Exception {
  readonly because: string
}

/** Called for each film that would be excluded. The first answer includes it. */
export const EXCEPTION = hook.bail<{ readonly film: Item; readonly missing: string }, Exception>('idRulesException')

export interface IdRules {
  /** Kinds of ids; a film needs at least one. */
  needed(): Promise<readonly string[]>
  /** Whether a film would be excluded, without exceptions. */
  refuses(film: Item): Promise<boolean>
}

export const ID_RULES = capability<IdRules>('id-rules')
