// The accounts that can be captured, with their features.
import { useMemo } from 'react'
import { useRead } from '../../api/query.ts'
import { useNames } from '../../parts/values/names.ts'
import { FEATURES } from './capture.ts'

export interface Account {
  /** `PROVIDER@instance` */
  readonly value: string
  readonly label: string
  readonly provider: string
  readonly instance: string
  readonly features: readonly (typeof FEATURES)[number][]
}

const FRESH_MS = 60_000

/** null while the accounts load. */
export function useAccounts(): {
  readonly accounts: readonly Account[] | null
  readonly error: Error | null
  readonly refetch: () => unknown
} {
  const names = useNames()
  const { data, error, refetch } = useRead(['captures', 'manifest'], 'GET /api/snapshots/manifest', undefined, {
    staleTime: FRESH_MS,
  })
  const accounts = useMemo(
    () =>
      data === undefined
        ? null
        : data.providers.flatMap(({ id, features, instances }) =>
            instances
              .filter(({ configured }) => configured)
              .map((one) => ({
                value: `${id}@${one.id}`,
                label: names.account(id, one.id),
                provider: id,
                instance: one.id,
                features: FEATURES.filter((feature) => features[feature]),
              })),
          ),
    [data, names],
  )
  return { accounts, error, refetch }
}
