// One plugin: status, permissions, settings and internals. Updates when its source changes.
import { serviceText } from '../../texts/service-text.ts'
import { Anchor, Badge, Button, Group, Tabs } from '@mantine/core'
import { IconPlayerPlay, IconPlayerStop, IconPuzzleOff, IconRefresh } from '@tabler/icons-react'
import { Suspense } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { PluginError } from '../../parts/plugins/plugin-error.tsx'
import { useDrawn } from '../../api/drawn.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { plugins } from '../../texts/en/plugins.ts'
import { shell } from '../../texts/en/shell.ts'
import { Overview } from './overview.tsx'
import { kindText, StateBadge } from './state.tsx'
import { usePluginActions, type PluginAction } from './use-actions.tsx'
import type { PluginDetail } from './data.ts'

const Internals = lazyPart(() => import('./internals.tsx'))
const Settings = lazyPart(() => import('./settings.tsx'))
const ICONS: Readonly<Record<PluginAction, typeof IconRefresh>> = {
  reload: IconRefresh,
  enable: IconPlayerPlay,
  disable: IconPlayerStop,
}
const breadcrumbs = [{ title: shell.pages.plugins, href: '/plugins' }]

export function PluginPage({ id }: { readonly id: string }) {
  const query = useRead(['plugins', id], 'GET /api/plugins/{id}', { params: { id } })
  const plugin = useDrawn(query.data)?.plugin
  return (
    <Page
      title={plugin?.name ?? shell.pages.plugins}
      text={serviceText(plugin?.description) ?? undefined}
      breadcrumbs={breadcrumbs}
      actions={plugin === undefined ? undefined : <Actions plugin={plugin} />}
    >
      <QueryView
        query={query}
        rows={6}
        absent={{
          icon: IconPuzzleOff,
          title: plugins.missing,
          text: plugins.missingText,
          to: plugins.toList,
          href: '/plugins',
        }}
      >
        {({ plugin: shown }) => <Detail plugin={shown} />}
      </QueryView>
    </Page>
  )
}

const NO_FILTERS = { tab: 'overview' }
const KNOWN = { tab: Object.keys(plugins.tabs) }

function Detail({ plugin }: { readonly plugin: PluginDetail }) {
  const [{ tab: chosen }, setFilters] = useAddressFilters(NO_FILTERS, KNOWN)
  const { last_error: error, kind, version, origin, ui, sections } = plugin
  const tab = chosen === 'settings' && sections.length === 0 ? NO_FILTERS.tab : chosen
  return (
    <>
      <Group gap="xs">
        <StateBadge plugin={plugin} />
        <Badge variant="default" tt="none">
          {kindText(kind)}
        </Badge>
        {version === null ? null : (
          <Badge variant="default" tt="none">
            {version}
          </Badge>
        )}
        <Badge variant="default" tt="none">
          {plugins.origins[origin]}
        </Badge>
        {ui.pages.map(({ path, title }) => (
          <Anchor
            key={path}
            component={Link}
            href={`/plugin-pages/${encodeURIComponent(plugin.id)}/${path}`}
            size="sm"
            underline="always"
          >
            {title}
          </Anchor>
        ))}
      </Group>
      {error === null ? null : <PluginError error={error} isActive={plugin.state === 'active'} />}
      <Tabs value={tab} onChange={(next) => setFilters({ tab: next ?? NO_FILTERS.tab })} keepMounted={false}>
        <Tabs.List aria-label={plugins.tabsLabel} mb="md">
          <Tabs.Tab value="overview">{plugins.tabs.overview}</Tabs.Tab>
          {sections.length === 0 ? null : <Tabs.Tab value="settings">{plugins.tabs.settings}</Tabs.Tab>}
          <Tabs.Tab value="internals">{plugins.tabs.internals}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="overview">
          <Overview plugin={plugin} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Suspense fallback={<Loading rows={3} />}>
            <Settings plugin={plugin} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="internals">
          <Suspense fallback={<Loading rows={3} />}>
            <Internals plugin={plugin} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function Actions({ plugin }: { readonly plugin: PluginDetail }) {
  const { run, running, possible } = usePluginActions(
    plugin,
    [...plugin.ui.pages, ...plugin.ui.panels].map(({ title }) => title),
  )
  return possible.map((action) => {
    const Icon = ICONS[action]
    return (
      <Button
        key={action}
        variant="default"
        leftSection={<Icon size={16} aria-hidden />}
        loading={running === action}
        disabled={running !== null}
        onClick={() => void run(action)}
      >
        {plugins[action]}
      </Button>
    )
  })
}
