// Health, versions and licences.
import { readable } from '../../../parts/values/readable.ts'
import { serviceText } from '../../../texts/service-text.ts'
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useDeferredValue } from 'react'
import { Link } from 'wouter'
import { at } from '../../../api/base.ts'
import type { Answer } from '../../../api/client.ts'
import { useRead } from '../../../api/query.ts'
import { DataTable, type Column } from '../../../parts/lists/data-table.tsx'
import { Facts } from '../../../parts/lists/facts.tsx'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { usePlugins } from '../../../parts/plugins/use-plugins.ts'
import { StatusBadge, type Tone } from '../../../parts/values/status-badge.tsx'
import { TimeText } from '../../../parts/values/time-text.tsx'
import { settings } from '../../../texts/en/settings.ts'
import { Card } from '../card.tsx'

type Health = Answer<'GET /api/system/health'>
type Plugin = Health['plugins'][number]

const { about } = settings
const TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  dormant: 'good',
  disabled: 'idle',
  failed: 'bad',
  blocked: 'warn',
  quarantined: 'bad',
  stuck: 'bad',
}
const COLUMNS: readonly Column<Plugin>[] = [
  {
    id: 'name',
    header: about.columns.name,
    isTitle: true,
    width: '2fr',
    sortValue: ({ name }) => name,
    cell: ({ id, name }) => (
      <Anchor component={Link} href={`/plugins/${encodeURIComponent(id)}`} size="sm">
        {name}
      </Anchor>
    ),
  },
  {
    id: 'version',
    isBare: true,
    header: about.columns.version,
    sortValue: ({ version }) => version,
    cell: ({ version }) => <Text size="sm">{version}</Text>,
  },
  {
    id: 'kind',
    header: about.columns.kind,
    sortValue: ({ kind }) => kind,
    cell: ({ kind }) => <Text size="sm">{named(about.kinds, kind)}</Text>,
  },
  {
    id: 'state',
    header: about.columns.state,
    sortValue: ({ state }) => state,
    cell: ({ state }) => <StatusBadge tone={TONES[state] ?? 'busy'} label={named(about.states, state)} />,
  },
]

export default function About() {
  const query = useRead(['settings', 'health'], 'GET /api/system/health', undefined, { refetchInterval: 30_000 })
  // Render it together with the section above.
  const isPending = useDeferredValue(query.isPending)
  return (
    <Stack>
      <QueryView query={query} rows={6}>
        {(health) => (
          <>
            <HealthCard health={health} />
            <Plugins plugins={health.plugins} />
          </>
        )}
      </QueryView>
      {isPending ? null : <Documents />}
    </Stack>
  )
}

function Documents() {
  const { data } = usePlugins()
  const plugins = data?.plugins ?? []
  const notices = [...new Set(plugins.flatMap(({ enabled, notice }) => (enabled && notice !== null ? [notice] : [])))]
  return (
    <>
      <Card title={about.docs} text={about.docsText}>
        <Group gap="lg">
          <Anchor href={at('/docs')} size="sm" underline="always">
            {about.openDocs}
          </Anchor>
          <Anchor href={at('/openapi.json')} size="sm" underline="always">
            {about.openJson}
          </Anchor>
        </Group>
      </Card>
      {notices.length === 0 ? null : (
        <Card title={about.notices}>
          {notices.map((notice) => (
            <Text key={notice} size="sm" maw="70ch">
              {serviceText(notice)}
            </Text>
          ))}
        </Card>
      )}
      <Card title={about.licence} text={about.licenceText}>
        <Group>
          <Anchor href={licencesAddress()} target="_blank" size="sm" underline="always">
            {about.licences}
          </Anchor>
        </Group>
      </Card>
    </>
  )
}

function HealthCard({ health: { ok, version, started_at: startedAt, checks } }: { readonly health: Health }) {
  return (
    <Card
      title={about.health}
      aside={<StatusBadge tone={ok ? 'good' : 'warn'} label={ok ? about.healthy : about.degraded} />}
    >
      <Facts
        facts={[
          [about.version, <strong key="version">{version}</strong>],
          [about.since, <TimeText key="since" at={startedAt * 1000} />],
        ]}
      />
      <ul className="plain-list checks" aria-label={about.checks}>
        {checks.map(({ name, ok: isFine, advice }) => (
          <li key={name}>
            <StatusBadge tone={isFine ? 'good' : 'warn'} label={serviceText(readable(name))} />
            {isFine || advice === undefined ? null : (
              <Text size="sm" c="dimmed">
                {serviceText(advice)}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Plugins({ plugins }: { readonly plugins: readonly Plugin[] }) {
  return (
    <Card title={about.plugins}>
      <DataTable label={about.plugins} columns={COLUMNS} rows={plugins} rowKey={({ id }) => id} height={420} />
    </Card>
  )
}

function named(names: Readonly<Record<string, string>>, name: string): string {
  return names[name] ?? readable(name)
}

// The file has a hashed name, which is in the HTML shell.
function licencesAddress(): string {
  return document.querySelector<HTMLLinkElement>('link[rel="license"]')?.href ?? at('/redoc')
}
