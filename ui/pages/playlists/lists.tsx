// Every list of every account, read from the services.
import { Button, Group, Menu, ActionIcon, Stack, Text, TextInput, Badge } from '@mantine/core'
import { IconDots, IconPlaylist, IconSearch, IconSearchOff } from '@tabler/icons-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { foldText } from '../../../sdk/items/text.ts'
import { useRead } from '../../api/query.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { useNames, type Names } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { playlists } from '../../texts/en/playlists.ts'
import { say } from '../../texts/say.ts'
import { KEY, type Account, type List, type Overview } from './state.ts'
import { idOf, useLists } from './use-lists.ts'

const { lists: texts } = playlists
const SEARCH_ABOVE = 8
const NO_FILTERS = { text: '' }

interface ListsProps {
  readonly overview: Overview
  readonly onSync: (source: List) => void
}

export function Lists(props: ListsProps) {
  const query = useRead([...KEY, 'accounts'], 'GET /api/playlists/providers')
  return (
    <QueryView query={query} rows={6}>
      {({ providers }) => <Table {...props} accounts={providers.filter(({ configured }) => configured)} />}
    </QueryView>
  )
}

function Table({ overview, onSync, accounts }: ListsProps & { readonly accounts: readonly Account[] }) {
  const names = useNames()
  const found = useLists(accounts)
  const [{ text: search }, setFilters] = useAddressFilters(NO_FILTERS)
  const word = foldText(search).trim()
  const all = found.flatMap(({ lists = [] }) => lists)
  const rows = all.filter(({ name }) => foldText(name).includes(word))
  const columns = useMemo(() => columnsOf(names, overview, onSync), [names, overview, onSync])
  const isReading = found.some(({ lists, error }) => lists === undefined && error === null)
  const failed = found.filter(({ error }) => error !== null)
  return (
    <Stack gap="sm">
      {all.length > SEARCH_ABOVE ? (
        <TextInput
          type="search"
          label={texts.search}
          value={search}
          leftSection={<IconSearch size={16} aria-hidden />}
          onChange={(event) => setFilters({ text: event.currentTarget.value })}
          maw={360}
        />
      ) : null}
      {failed.map(({ account, error, retry }) => (
        <Failure
          key={idOf(account)}
          error={error}
          title={say(texts.failedAt, { account: names.account(account.provider, account.instance) })}
          onRetry={retry}
        />
      ))}
      {rows.length > 0 ? (
        <DataTable label={texts.label} columns={columns} rows={rows} rowKey={keyOf} />
      ) : isReading ? null : word !== '' ? (
        <EmptyState
          icon={IconSearchOff}
          title={texts.noMatch}
          text={texts.noMatchText}
          action={
            <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
              {texts.clear}
            </Button>
          }
        />
      ) : failed.length > 0 ? null : (
        <EmptyState icon={IconPlaylist} title={texts.none} text={texts.noneText} />
      )}
      {isReading ? <Loading rows={rows.length === 0 ? 6 : 2} /> : null}
    </Stack>
  )
}

function keyOf(list: List): string {
  return `${idOf(list)} ${list.id}`
}

export function kindOf({ extra, kind }: List): string {
  const type = typeof extra['endpoint_type'] === 'string' ? extra['endpoint_type'] : kind
  return (texts.kinds as Readonly<Record<string, string>>)[type] ?? type
}

function columnsOf(names: Names, overview: Overview, onSync: (source: List) => void): readonly Column<List>[] {
  const endpointOf = (list: List) =>
    overview.endpoints.find(
      (one) =>
        one.provider === list.provider &&
        one.instance === list.instance &&
        one.playlist_id === list.id &&
        list.id !== '',
    )
  return [
    {
      id: 'name',
      header: texts.columns.name,
      width: '3fr',
      isTitle: true,
      sortValue: ({ name }) => name,
      cell: (list) => (
        <Group gap="xs" wrap="nowrap">
          <Text size="sm" fw={600} truncate title={list.name} dir="auto">
            {list.name}
          </Text>
          {list.smart ? <Badge variant="default">{texts.smart}</Badge> : null}
          {!list.smart && !list.writable ? <Badge variant="default">{texts.readOnly}</Badge> : null}
        </Group>
      ),
    },
    {
      id: 'account',
      header: texts.columns.account,
      width: '1.3fr',
      sortValue: ({ provider, instance }) => names.account(provider, instance),
      cell: ({ provider, instance }) => (
        <Group gap="xs" wrap="nowrap">
          <ServiceMark provider={provider} />
          <Text size="sm" truncate>
            {names.account(provider, instance)}
          </Text>
        </Group>
      ),
    },
    { id: 'kind', header: texts.columns.kind, width: '7rem', cell: (list) => <Text size="sm">{kindOf(list)}</Text> },
    {
      id: 'items',
      isBare: true,
      header: texts.columns.items,
      width: '5rem',
      sortValue: (list) => countOf(list),
      cell: (list) => <Text size="sm">{countOf(list) ?? ''}</Text>,
    },
    {
      id: 'synced',
      isBare: true,
      header: texts.columns.synced,
      width: '1.2fr',
      cell: (list) => {
        const id = endpointOf(list)?.id
        const isTarget = overview.mappings.some(({ target_endpoints: all }) => id !== undefined && all.includes(id))
        const targets = overview.mappings.filter(({ source_endpoint: one }) => one === id).length
        const text = [
          ...(targets === 0 ? [] : [say(texts.asSource, { n: targets })]),
          ...(isTarget ? [texts.asTarget] : []),
        ].join(', ')
        return (
          <Text size="sm" c="dimmed" truncate title={text}>
            {text}
          </Text>
        )
      },
    },
    {
      id: 'actions',
      isControl: true,
      header: '',
      width: '7.5rem',
      cell: (list) => {
        const endpoint = endpointOf(list)
        return (
          <Group gap="2xs" wrap="nowrap" justify="flex-end">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={say(texts.sync, { name: list.name })}
              onClick={() => onSync(list)}
            >
              {texts.syncShort}
            </Button>
            {endpoint === undefined || !list.writable ? null : (
              <Menu position="bottom-end">
                <Menu.Target>
                  <ActionIcon variant="subtle" aria-label={playlists.one.menu}>
                    <IconDots size={16} aria-hidden />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item component={Link} href={`/editor?list=${encodeURIComponent(endpoint.id)}`}>
                    {texts.editShort}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            )}
          </Group>
        )
      },
    },
  ]
}

function countOf({ extra }: List): number | null {
  return typeof extra['item_count'] === 'number' ? extra['item_count'] : null
}
