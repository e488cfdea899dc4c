// Panels of plugins on a page: <PluginPanels slot="home" />. Renders nothing without panels.
import { Paper, SimpleGrid, Title } from '@mantine/core'
import type { UiHost } from '../../../sdk/ui.ts'
import { plugins } from '../../texts/en/plugins.ts'
import { say } from '../../texts/say.ts'
import { PluginModule } from './plugin-module.tsx'
import { useAfterLoad } from '../../api/after-load.ts'
import { usePlugins } from './use-plugins.ts'

interface PluginPanelsProps {
  readonly slot: 'home' | 'connection' | 'pair'
  /** Context that is passed to the panels. */
  readonly context?: UiHost['subject']
}

export function PluginPanels({ slot, context = {} }: PluginPanelsProps) {
  const { data } = usePlugins({ enabled: useAfterLoad() })
  const panels = (data?.plugins ?? []).flatMap(({ id, name, generation, ui }) =>
    ui.panels.filter((panel) => panel.slot === slot).map((panel) => ({ id, name, generation, ...panel })),
  )
  if (panels.length === 0) return null
  return (
    <SimpleGrid cols={{ base: 1, md: panels.length > 1 ? 2 : 1 }}>
      {panels.map(({ id, name, generation, title, url }) => (
        <Paper key={`${id} ${title}`} component="section" aria-label={title} withBorder p="md">
          <Title order={2} size="h5" mb="xs">
            {title}
          </Title>
          <PluginModule
            plugin={id}
            url={url}
            generation={generation}
            subject={context}
            failureTitle={say(plugins.page.panelFailed, { name })}
          />
        </Paper>
      ))}
    </SimpleGrid>
  )
}
