// What other plugins may import from this package.
import { capability, hook, type Item } from '@playhead/sdk'

export interface Exception {
  readonly because: string
}

/** Asked about each film that would stay out. The first answer lets it in. */
export const EXCEPTION = hook.bail<{ readonly film: Item; readonly missing: string }, Exception>('idRulesException')

export interface IdRules {
  /** Kinds of ids that a film needs one of. */
  needed(): Promise<readonly string[]>
  /** Whether a film would stay out, exceptions aside. */
  refuses(film: Item): Promise<boolean>
}

export const ID_RULES = capability<IdRules>('id-rules')
