// A pair of accounts, as its runs use it.
import { accountName, type AccountName, type Feature, type FeatureOptions, type Side } from '@playhead/sdk'
import type { SyncConfig } from '../settings.ts'

/** A pair as the configuration holds it. */
export interface Pair extends Readonly<Omit<SyncConfig['pairs'][number], 'features'>> {
  readonly features: { readonly [feature in Feature]?: FeatureOptions }
}

type Ends = Pick<Pair, 'source' | 'source_instance' | 'target' | 'target_instance'>

/** The accounts of a pair. */
export function endsOf(pair: Ends): Readonly<Record<Side, AccountName>> {
  return {
    a: { provider: pair.source, instance: pair.source_instance },
    b: { provider: pair.target, instance: pair.target_instance },
  }
}

/** The names of the accounts of a pair. */
export function namesOf(pair: Ends): Readonly<Record<Side, string>> {
  const { a, b } = endsOf(pair)
  return { a: accountName(a.provider, a.instance), b: accountName(b.provider, b.instance) }
}

/** The side of one of the accounts of a pair. */
export function sideOf({ source, source_instance: profile }: Ends, { provider, instance }: AccountName): Side {
  return source === provider && profile === instance ? 'a' : 'b'
}

/** The name of an account, without further fields. */
export function accountOf({ provider, instance }: AccountName): AccountName {
  return { provider, instance }
}
