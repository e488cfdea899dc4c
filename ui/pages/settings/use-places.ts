// The places of the settings, from the sections of the configuration and the connected services.
import { useMemo } from 'react'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import type { PluginPageLink } from '../../app/plugin-pages.ts'
import { placesOf, type PlaceGroup } from './places.ts'

export function useSections(enabled = true) {
  return useRead(['settings', 'sections'], 'GET /api/config/sections', undefined, { staleTime: 60_000, enabled })
}

/** Whether the service has said which parts the places have. */
export function useHasParts(enabled: boolean): boolean {
  const sections = useSections(enabled)
  const connections = useConnected(enabled)
  return !sections.isPending && !connections.isPending
}

export function useConnected(enabled: boolean) {
  return useRead(['connections'], 'GET /api/connections', undefined, { staleTime: 60_000, enabled })
}

/** @param enabled whether the service is asked; without it, all places with a fixed name have their parts */
export function usePlaces(pluginPages?: readonly PluginPageLink[], enabled = true): readonly PlaceGroup[] {
  const { data } = useSections(enabled)
  const connections = useConnected(enabled)
  return useMemo(
    () =>
      placesOf({ sections: data?.sections, connected: connectedIn(connections.data?.connections ?? []), pluginPages }),
    [data, connections.data, pluginPages],
  )
}

function connectedIn(all: Answer<'GET /api/connections'>['connections']): ReadonlySet<string> {
  return new Set(all.filter(({ profiles }) => profiles.some(({ configured }) => configured)).map(({ token }) => token))
}
