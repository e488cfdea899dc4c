// Playlists: synced ones, all lists of all accounts, rules and activity.
import { Button, Group, Paper, Stack, Tabs, Text } from '@mantine/core'
import { IconArrowRight, IconPlaylist, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useDrawn } from '../../api/drawn.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { useNamed, useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { playlists as texts } from '../../texts/en/playlists.ts'
import { say } from '../../texts/say.ts'
import { Activity } from './activity.tsx'
import { Lists } from './lists.tsx'
import { MappingDialog, type Draft } from './mapping-dialog.tsx'
import { Rulesets } from './rulesets.tsx'
import { addressOf, KEY, type Mapping, OVERVIEW, rulesText, statusOf } from './state.ts'

const TABS = ['synced', 'lists', 'rules', 'history'] as const

export function All() {
  const [search, setSearch] = useSearchParams()
  const [draft, setDraft] = useState<Draft | null>(null)
  const query = useNamed(useRead(OVERVIEW, 'GET /api/playlists/overview'))
  const known = useDrawn(query.data)
  const tab = TABS.find((one) => one === search.get('tab')) ?? 'synced'
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDraft({ mapping: null })}>
      {texts.add}
    </Button>
  )
  return (
    <Page
      title={texts.title}
      text={texts.intro}
      actions={known === undefined || known.mappings.length === 0 ? null : add}
    >
      <QueryView query={query} rows={4}>
        {(overview) => (
          <Tabs
            value={tab}
            onChange={(next) => setSearch(next === 'synced' || next === null ? {} : { tab: next })}
            keepMounted={false}
          >
            <Tabs.List aria-label={texts.tabsLabel} className="tab-row">
              {TABS.map((one) => (
                <Tabs.Tab key={one} value={one}>
                  {texts.tabs[one]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value="synced" pt="md">
              {overview.mappings.length === 0 ? (
                <Empty add={add} />
              ) : (
                <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
                  {overview.mappings.map((mapping) => (
                    <Row key={mapping.id} mapping={mapping} />
                  ))}
                </Paper>
              )}
            </Tabs.Panel>
            <Tabs.Panel value="lists" pt="md">
              <Lists overview={overview} onSync={(source) => setDraft({ mapping: null, source })} />
            </Tabs.Panel>
            <Tabs.Panel value="rules" pt="md">
              <Rulesets mappings={overview.mappings} />
            </Tabs.Panel>
            <Tabs.Panel value="history" pt="md">
              <Activity rows={overview.activity} />
            </Tabs.Panel>
          </Tabs>
        )}
      </QueryView>
      {draft === null ? null : <MappingDialog draft={draft} onClose={() => setDraft(null)} />}
    </Page>
  )
}

function Empty({ add }: { readonly add: React.ReactNode }) {
  const query = useRead([...KEY, 'accounts'], 'GET /api/playlists/providers')
  return (
    <QueryView query={query}>
      {({ providers }) => {
        // The tracker is always present and cannot be synced with itself.
        const isReady = providers.filter(({ configured }) => configured).length > 1
        return (
          <EmptyState
            icon={IconPlaylist}
            title={texts.none.title}
            text={isReady ? texts.none.text : texts.none.noAccount}
            action={
              isReady ? (
                add
              ) : (
                <Button component={Link} href="/connections">
                  {texts.none.connect}
                </Button>
              )
            }
          />
        )
      }}
    </QueryView>
  )
}

function Row({ mapping }: { readonly mapping: Mapping }) {
  const { account } = useNames()
  const { id, name, source, targets, last_result: last } = mapping
  const { tone, label } = statusOf(mapping)
  const target = targets[0] ?? null
  return (
    <li className="line">
      <Link href={addressOf(id)} className="row-link">
        <Group wrap="nowrap" gap="md" py="sm">
          <Group wrap="nowrap" gap="2xs" style={{ flexShrink: 0 }} aria-hidden>
            {source === null ? null : <ServiceMark provider={source.provider} size={24} />}
            <IconArrowRight size={14} />
            {target === null ? null : <ServiceMark provider={target.provider} size={24} />}
          </Group>
          <div className="grow">
            <Text fw={600} truncate title={name} dir="auto">
              {name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {source === null || target === null
                ? (mapping.problem ?? '')
                : say(texts.row.from, {
                    source: account(source.provider, source.instance),
                    target: account(target.provider, target.instance),
                  })}
              {` · ${rulesText(mapping)}`}
            </Text>
          </div>
          <Stack gap="3xs" align="flex-end" style={{ flexShrink: 0 }}>
            <StatusBadge tone={tone} label={label} />
            <Text size="xs" c="dimmed" component="div">
              <TimeText at={(last?.finished_at ?? 0) * 1_000} never={texts.row.never} />
            </Text>
          </Stack>
        </Group>
      </Link>
    </li>
  )
}
