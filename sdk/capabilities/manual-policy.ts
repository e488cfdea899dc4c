// The capability `manual-policy`: manual adds and blocks for an account and feature, and stopped titles. An add counts
// as present at the account, a block keeps an item from being written, a stopped title is not synced. Provided by the
// sync plugin, which applies the policy in its plans.
import { capability } from '../capability.ts'
import type { Feature } from '../provider/features.ts'
import type { AccountName } from './accounts.ts'
import type { LibraryRow } from './library.ts'

export const MANUAL_POLICY = capability<ManualPolicyService>('manual-policy')

/** Providers are upper case; an empty profile is `default`. */
export interface PolicyScope extends AccountName {
  readonly feature: Feature
}

export interface PolicyCounts {
  readonly adds: number
  readonly blocks: number
}

/**
 * A row as a client or a file has it: the fields of `Item` or their known aliases, and any other fields, which are
 * kept. Its key is derived from the item (`movie:tmdb:603`; a play has its time: `…@1782936900`); a `key` field is
 * ignored unless the item itself has no ids.
 */
export type PolicyRow = Readonly<Record<string, unknown>>

/** An absent field leaves that part unchanged. */
export interface PolicyChange {
  /** Replaces all adds. Runs before `removeAdds` and `setAdds`. */
  readonly adds?: readonly PolicyRow[]
  /** Keys as `adds()` returns them; unknown ones are ignored. */
  readonly removeAdds?: readonly string[]
  /** Stored under their keys; an add with the same key is replaced. */
  readonly setAdds?: readonly PolicyRow[]
  /** Replaces all blocks. Runs before `removeBlocks` and `addBlocks`. */
  readonly blocks?: readonly string[]
  /** In any case of letters; unknown ones are ignored. */
  readonly removeBlocks?: readonly string[]
  readonly addBlocks?: readonly string[]
  /** The change is refused if the scope has a different revision now. */
  readonly ifRevision?: string
}

/** A title as a person stops it. */
export interface StopOrder {
  /**
   * Keys of the work, each by an id: `show:tmdb:1399`, or any of the `names` of `GET /api/library/{key}`. A row is of
   * the work if it has one of these ids; its title does not count.
   */
  readonly names: readonly string[]
  /** To show it. */
  readonly title: string
  readonly year: number | null
  /** Null: all features. */
  readonly features: readonly Feature[] | null
  /** Pairs of one of these accounts, and these pairs. Both null: all pairs. */
  readonly accounts: readonly AccountName[] | null
  readonly pairs: readonly string[] | null
}

/** A film, or a show with its seasons and episodes, also those that appear later. Runs write none of it. */
export interface StoppedTitle extends StopOrder {
  readonly id: string
  readonly kind: 'movie' | 'show'
  readonly stoppedAtMs: number
}

export interface PolicyImportOptions {
  /**
   * `replace`: the file becomes the policy. `merge`: blocks are united; an existing add keeps its values and gets
   * missing fields and ids from the file.
   */
  readonly mode: 'merge' | 'replace'
  /** Only checks and counts. */
  readonly dryRun?: boolean
}

/** The counts are those of the file, over all providers, profiles and features. */
export interface PolicyImport extends PolicyCounts {
  readonly mode: PolicyImportOptions['mode']
  readonly dryRun: boolean
  readonly providers: number
  /** The accounts whose policy changes. */
  readonly accounts: readonly AccountName[]
  /** Changes of the import, made or only counted: adds and blocks that are new, replaced, or removed. */
  readonly changes: {
    readonly addsNew: number
    readonly addsChanged: number
    readonly addsRemoved: number
    readonly blocksNew: number
    readonly blocksRemoved: number
  }
  /** `unknown_account`: kept for an account that is not set up; `same_item`: several rows of one item, merged. */
  readonly warnings: readonly { readonly code: 'unknown_account' | 'same_item'; readonly count: number }[]
  /** The copy of the policy before the import; null if nothing was replaced. */
  readonly copy: string | null
}

/** A copy of the whole policy from before an import or a restore. The last five are kept. */
export interface PolicyCopy extends PolicyCounts {
  readonly id: string
  readonly atMs: number
}

/**
 * Errors are `PLH_INVALID` (`invalid_policy`, with `details.errors`: up to 20 of `{ path, reason }`; nothing is stored
 * then), `PLH_NOT_FOUND` (`unknown_provider`, `unknown_instance`) for a change of an unknown account, and
 * `PLH_INVALID` (`policy_too_large`, status 413).
 */
export interface ManualPolicyService {
  /** Changes with the policy, or with that of the scope. */
  revision(scope?: PolicyScope): Promise<string>
  /** Scopes with at least one add or block, sorted. */
  scopes(): Promise<readonly (PolicyScope & PolicyCounts)[]>
  /** Sorted by key, in pages of at most 500. Items have only the known fields. */
  adds(scope: PolicyScope): AsyncIterable<readonly LibraryRow[]>
  /** The adds with these keys. At most 500 keys. */
  addsByKeys(scope: PolicyScope, keys: readonly string[]): Promise<readonly LibraryRow[]>
  /** As a person wrote them: first spelling, in order. */
  blocks(scope: PolicyScope): Promise<readonly string[]>
  /**
   * Changes one scope in one transaction, at most 100,000 adds and blocks. The next run plans with it; nothing is
   * written to an account, and removing an add removes the item nowhere.
   *
   * @returns the counts after the change
   * @throws `PLH_CONFLICT` (`policy_changed`) if `ifRevision` does not match
   */
  change(scope: PolicyScope, change: PolicyChange): Promise<PolicyCounts & { readonly revision: string }>
  /** Oldest first. */
  stopped(): Promise<readonly StoppedTitle[]>
  /**
   * Takes the place of an earlier stop of the title, and keeps its ids. The unresolved items of the title are cleared.
   *
   * @throws `PLH_INVALID` (`missing_ids`) if no name has an id that other services know, and (`too_many_stopped`) for
   *   more than 10,000; `PLH_NOT_FOUND` (`unknown_provider`, `unknown_instance`)
   */
  stop(order: StopOrder): Promise<StoppedTitle>
  /** The next run decides about the title again. False if there is no such stop. */
  syncAgain(id: string): Promise<boolean>
  /** The whole policy as JSON (`version` 1), in pieces; equal policies give equal texts. */
  export(): AsyncIterable<string>
  /**
   * Checks the whole text, then stores all of it or nothing. At most 20 MiB. Unknown fields of items are kept, and so
   * are accounts that are not configured.
   *
   * @throws `PLH_INVALID` also for text that is not JSON (`invalid_json`), another version (`unknown_version`), or a
   *   text without `providers` (`invalid_policy`)
   */
  import(text: string, options: PolicyImportOptions): Promise<PolicyImport>
  /** Newest first. */
  copies(): Promise<readonly PolicyCopy[]>
  /**
   * Restores a copy; the current policy is kept as a copy.
   *
   * @throws `PLH_NOT_FOUND` (`copy_not_found`)
   */
  restore(id: string): Promise<PolicyImport>
}
