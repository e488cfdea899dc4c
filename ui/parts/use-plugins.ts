// All plugins, and all that is told about them while a page is open.
import { useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { Answer } from '../api/client.ts'
import type { ApiError } from '../api/error.ts'
import { useRead } from '../api/query.ts'
import { useEventStream } from '../api/stream.ts'

export type PluginSummary = Answer<'GET /api/plugins'>['plugins'][number]

const NEWS = ['plugin.activated', 'plugin.state', 'plugin.reload_failed', 'plugin.quarantined', 'plugin.fault', 'plugin.stuck', 'gap']

export function usePlugins(): UseQueryResult<Answer<'GET /api/plugins'>, ApiError> {
  return useRead(['plugins'], 'GET /api/plugins')
}

/** Reads again whatever is shown of plugins when one of them was loaded, failed or changed its state. */
export function usePluginNews(isWanted = true): void {
  const client = useQueryClient()
  const refresh = () => void client.invalidateQueries({ queryKey: ['plugins'] })
  useEventStream(isWanted ? '/api/plugins/stream' : null, Object.fromEntries(NEWS.map((name) => [name, refresh])))
}
