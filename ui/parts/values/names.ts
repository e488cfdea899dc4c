// Display names of services, profiles and features. An unknown one keeps its id.
import { useMemo } from 'react'
import { useRead } from '../../api/query.ts'
import { runs } from '../../texts/en/runs.ts'

const FRESH_MS = 300_000

export interface Names {
  /** "Attic", or "Attic (second)" for a profile other than the default. */
  readonly account: (provider: string, instance?: string) => string
  /** The sign of a service; null if its plugin gives none. */
  readonly mark: (provider: string) => { readonly color: string; readonly path?: string } | null
  readonly isKnown: boolean
}

export function useNames(): Names {
  const { data } = useRead(['pairs', 'providers'], 'GET /api/sync/providers', undefined, { staleTime: FRESH_MS })
  return useMemo(() => {
    const byId = new Map((data ?? []).map((one) => [one.name, one]))
    return {
      isKnown: data !== undefined,
      mark: (provider) => byId.get(provider)?.mark ?? null,
      account(provider, instance = 'default') {
        const known = byId.get(provider)
        const profile = known?.instances.find(({ id }) => id === instance)
        const label = known?.label ?? provider
        return instance === 'default' ? label : `${label} (${profile?.label || instance})`
      },
    }
  }, [data])
}

export function featureName(feature: string): string {
  return (runs.features as Readonly<Record<string, string>>)[feature] ?? feature
}

export function useSideNames(): (provider: string, instance?: string) => string {
  return useNames().account
}

export function useFeatureNames(): (feature: string) => string {
  const { data } = useRead(['pairs', 'features'], 'GET /api/sync/features', undefined, { staleTime: FRESH_MS })
  return (feature) => data?.features.find((one) => one.feature === feature)?.label ?? featureName(feature)
}
