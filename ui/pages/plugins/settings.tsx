// The settings of a plugin, one form per section.
import { Anchor, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { SectionForm } from '../../parts/settings/section-form.tsx'
import { plugins } from '../../texts/en/plugins.ts'
import type { PluginDetail } from './data.ts'

const texts = plugins.settings

export default function Settings({ plugin }: { readonly plugin: PluginDetail }) {
  return (
    <Stack>
      {plugin.provider === null ? null : (
        <Text>
          {texts.profiles}{' '}
          <Anchor
            component={Link}
            href={`/connections/${encodeURIComponent(plugin.provider.id)}`}
            underline="always"
            inherit
          >
            {texts.toConnection}
          </Anchor>
        </Text>
      )}
      {plugin.sections.map(({ path }) => (
        <Paper key={path} component="section" withBorder p="md">
          <SectionForm path={path} isTitled={plugin.sections.length > 1} />
        </Paper>
      ))}
    </Stack>
  )
}
