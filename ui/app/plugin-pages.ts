// The pages of plugins, for the tabs of the doors and for the search.
import { useMemo } from 'react'
import { useAfterLoad } from '../api/after-load.ts'
import { usePlugins, type PluginSummary } from '../parts/plugins/use-plugins.ts'

export interface PluginPageLink {
  readonly id: string
  readonly label: string
  /** The name of the plugin. */
  readonly description: string
  readonly icon: string | null
  readonly kind: PluginSummary['kind']
  readonly href: string
}

export function usePluginPages(): readonly PluginPageLink[] {
  const { data } = usePlugins({ enabled: useAfterLoad() })
  return useMemo(
    () =>
      (data?.plugins ?? []).flatMap((plugin) =>
        plugin.ui.pages.map(({ path, title, icon }) => ({
          id: `plugin-page-${plugin.id}-${path}`,
          label: title,
          description: plugin.name,
          icon,
          kind: plugin.kind,
          href: `/plugin-pages/${encodeURIComponent(plugin.id)}/${path}`,
        })),
      ),
    [data],
  )
}
