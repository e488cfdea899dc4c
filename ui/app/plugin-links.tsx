// Navigation links to the pages of plugins.
import { Box, NavLink, Text } from '@mantine/core'
import { IconPuzzle } from '@tabler/icons-react'
import { Suspense, useId, useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import { useAfterLoad } from '../api/after-load.ts'
import { lazyPart } from '../parts/page/lazy-part.ts'
import { usePlugins } from '../parts/plugins/use-plugins.ts'
import { shell } from '../texts/en/shell.ts'

const PluginIcon = lazyPart(() => import('./plugin-icon.tsx'))
const defaultIcon = <IconPuzzle size={20} aria-hidden />

export function PluginLinks() {
  const [location] = useLocation()
  const { data } = usePlugins({ enabled: useAfterLoad() })
  const id = useId()
  const links = useMemo(
    () =>
      (data?.plugins ?? []).flatMap((plugin) =>
        plugin.ui.pages.map(({ path, title, icon }) => ({
          id: `plugin-page-${plugin.id}-${path}`,
          label: title,
          icon,
          href: `/plugin-pages/${encodeURIComponent(plugin.id)}/${path}`,
        })),
      ),
    [data],
  )
  if (links.length === 0) return null
  return (
    <Box role="group" aria-labelledby={id} mt="sm">
      <Text id={id} size="xs" c="dimmed" px="sm" py={4}>
        {shell.pluginPages}
      </Text>
      {links.map(({ href, label, icon }) => (
        <NavLink
          key={href}
          component={Link}
          href={href}
          label={label}
          active={location === href}
          aria-current={location === href ? 'page' : undefined}
          leftSection={
            icon === null ? (
              defaultIcon
            ) : (
              <Suspense fallback={defaultIcon}>
                <PluginIcon name={icon} />
              </Suspense>
            )
          }
        />
      ))}
    </Box>
  )
}
