// What people call the sides and the features of a pair.
import { useRead } from '../api/query.ts'
import { featureName, useNames } from './account-names.ts'

const FRESH_MS = 300_000

export function useSideNames(): (provider: string, instance?: string) => string {
  return useNames().account
}

export function useFeatureNames(): (feature: string) => string {
  const { data } = useRead(['pairs', 'features'], 'GET /api/sync/features', undefined, { staleTime: FRESH_MS })
  return (feature) => data?.features.find((one) => one.feature === feature)?.label ?? featureName(feature)
}
