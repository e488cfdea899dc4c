// The plugin list, kept up to date by events.
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

export function usePlugins({ enabled = true } = {}): UseQueryResult<Answer<'GET /api/plugins'>, ApiError> {
  return useRead(['plugins'], 'GET /api/plugins', undefined, { enabled })
}

/**
 * Invalidates plugin queries when a plugin is loaded, fails or changes its state. Mounted once. A hidden tab closes
 * the stream, because a browser allows few connections, and refetches when it is visible again.
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
