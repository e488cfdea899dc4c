// A pair of accounts, as its runs use it.
import type { Feature, FeatureOptions, PairMode } from '@playhead/sdk'

/** A pair as the configuration holds it. */
export interface Pair {
  readonly id: string
  readonly name: string
  readonly source: string
  readonly source_instance: string
  readonly target: string
  readonly target_instance: string
  readonly mode: PairMode
  readonly enabled: boolean
  readonly features: { readonly [feature in Feature]?: FeatureOptions }
  /** Overrides for this pair, by provider token in lower case. */
  readonly providers?: Readonly<Record<string, unknown>>
  /** The user profile that owns the pair. */
  readonly profile_id?: string
  /** The plugin that keeps the pair. */
  readonly owner?: string
}
