// The capability `pair-lists`: runs the playlists of a pair after its other features. Provided by the playlists
// service.
import { capability } from '../capability.ts'

export const PAIR_LISTS = capability<PairLists>('pair-lists')

export interface PairListsOrder {
  readonly pairId: string
  readonly runId: string
  /** Plans are stored and shown, nothing is written. */
  readonly dryRun: boolean
  /** Removals beyond the guard are approved. */
  readonly approved: boolean
}

export interface PairListsReport {
  readonly status: 'ok' | 'nothing_to_do' | 'partial' | 'skipped' | 'failed' | 'cancelled'
  /** A code, if the status needs one: `no_mappings`, an error's code, … */
  readonly reason?: string
  readonly mappings: number
  readonly planned: number
  readonly added: number
  readonly removed: number
  /** Number of moves. */
  readonly updated: number
  readonly already: number
  readonly held: number
  readonly unresolved: number
  readonly errors: number
}

export interface PairLists {
  /** Runs the enabled mappings of a pair. The caller does not lock the accounts. Never throws for a provider. */
  run(order: PairListsOrder, signal?: AbortSignal): Promise<PairListsReport>
}
