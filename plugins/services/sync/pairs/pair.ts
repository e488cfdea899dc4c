// A pair of accounts, as its runs use it.
import type { Feature, FeatureOptions } from '@playhead/sdk'
import type { SyncConfig } from '../settings.ts'

/** A pair as the configuration holds it. */
export interface Pair extends Readonly<Omit<SyncConfig['pairs'][number], 'features'>> {
  readonly features: { readonly [feature in Feature]?: FeatureOptions }
}
