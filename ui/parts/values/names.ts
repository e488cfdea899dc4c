// Display names of services, profiles and features. An unknown one keeps its id.
import type { UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApiError } from '../../api/error.ts'
import { together, useRead } from '../../api/query.ts'
import { parts } from '../../texts/en/parts.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'

const FRESH_MS = 300_000

export interface Names {
  /** "Attic", or "Attic (second)" for a profile other than the default. */
  readonly account: (provider: string, instance?: string) => string
  /** The icon of a service; null if its plugin has none. */
  readonly mark: (provider: string) => { readonly color: string; readonly path?: string } | null
  readonly isKnown: boolean
  readonly has: (provider: string) => boolean
}

export function useAccounts() {
  return useRead(['pairs', 'providers'], 'GET /api/sync/providers', undefined, { staleTime: FRESH_MS })
}

/** For what names accounts in its lines: its data comes with the names. */
export function useNamed<Data>(query: UseQueryResult<Data, ApiError>): UseQueryResult<Data, ApiError> {
  return together(query, useAccounts())
}

export function useNames(): Names {
  const { data } = useAccounts()
  return useMemo(() => {
    const byId = new Map((data ?? []).map((one) => [one.name, one]))
    return {
      isKnown: data !== undefined,
      has: (provider) => byId.has(provider),
      mark: (provider) => byId.get(provider)?.mark ?? null,
      account(provider, instance = 'default') {
        const service = byId.get(provider)
        // A service whose plugin is off is not listed.
        const label = service?.label ?? parts.profile.gone
        if (service === undefined && data === undefined) return ''
        const profile = service?.instances.find(({ id }) => id === instance)
        return instance === 'default' ? label : `${label} (${profile?.label || (numberOf(instance) ?? instance)})`
      },
    }
  }, [data])
}

/** The name of a profile alone: its display label, otherwise its number. */
export function profileName({ id, display_label: given }: { readonly id: string; readonly display_label: string }) {
  if (given !== id && (id !== 'default' || given !== 'Default')) return given
  return id === 'default' ? parts.profile.default : say(parts.profile.numbered, { n: numberOf(id) ?? id })
}

/** Profiles without a name are numbered; the default profile is the first. */
function numberOf(instance: string): string | undefined {
  const number = /-P0*(\d+)$/.exec(instance)?.[1]
  return number === undefined ? undefined : String(Number(number) + 1)
}

export function featureName(feature: string): string {
  return (runs.features as Readonly<Record<string, string>>)[feature] ?? feature
}

export function useSideNames(): (provider: string, instance?: string) => string {
  return useNames().account
}

export function useFeatureNames(): (feature: string) => string {
  const { data } = useRead(['pairs', 'features'], 'GET /api/sync/features', undefined, { staleTime: FRESH_MS })
  return (feature) => {
    const label = data?.features.find((one) => one.feature === feature)?.label
    return label === undefined ? featureName(feature) : serviceText(label)
  }
}
