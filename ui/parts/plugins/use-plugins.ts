// All plugins, and all that is told about them while a page is open.
import { useDocumentVisibility } from '@mantine/hooks'
import { useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Answer } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { useEventStream } from '../../api/stream.ts'

export type PluginSummary = Answer<'GET /api/plugins'>['plugins'][number]

const NEWS = [
  'plugin.activated',
  'plugin.state',
  'plugin.reload_failed',
  'plugin.quarantined',
  'plugin.fault',
  'plugin.stuck',
  'gap',
]

export function usePlugins(): UseQueryResult<Answer<'GET /api/plugins'>, ApiError> {
  return useRead(['plugins'], 'GET /api/plugins')
}

/**
 * Reads again whatever is shown of plugins when one of them was loaded, failed or changed its state; once for the whole
 * application. A window that nobody sees keeps no connection, of which a browser has few, and reads again when it is
 * seen.
 */
export function usePluginNews(): void {
  const client = useQueryClient()
  const isSeen = useDocumentVisibility() === 'visible'
  const wasSeen = useRef(isSeen)
  const refresh = () => void client.invalidateQueries({ queryKey: ['plugins'] })
  useEventStream(isSeen ? '/api/plugins/stream' : null, Object.fromEntries(NEWS.map((name) => [name, refresh])))
  useEffect(() => {
    if (isSeen && !wasSeen.current) void client.invalidateQueries({ queryKey: ['plugins'] })
    wasSeen.current = isSeen
  }, [isSeen, client])
}
