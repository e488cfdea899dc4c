import type { UseQueryResult } from '@tanstack/react-query'
import type { Answer } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'

export type PluginSummary = Answer<'GET /api/plugins'>['plugins'][number]

export function usePlugins({ enabled = true } = {}): UseQueryResult<Answer<'GET /api/plugins'>, ApiError> {
  return useRead(['plugins'], 'GET /api/plugins', undefined, { enabled })
}
