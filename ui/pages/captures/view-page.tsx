// One capture: its description, its files or rows, and its actions.
import { Anchor, Button, Group, Menu, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconArrowsDiff, IconRestore, IconSearch, IconSearchOff, IconStack2, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { useRead } from '../../api/query.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { useDrawn } from '../../api/drawn.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { useNamed } from '../../parts/values/names.ts'
import { captures } from '../../texts/en/captures.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { About } from './about.tsx'
import {
  ABSENT,
  compareAddress,
  kindsText,
  nameOf,
  restoreAddress,
  viewAddress,
  whatOf,
  type Opened,
} from './capture.ts'
import { useRemove } from './list-table.tsx'
import { Day, kindOf, timeOf, TitleCell, measureOf, type Row } from './rows.tsx'

const { view: texts } = captures
const PAGE = 200
const TYPING_MS = 250
const HEIGHT = 'max(22rem, calc(100dvh - 24rem))'
const OTHERS = 30
const NO_FILTERS = { text: '' }

export function ViewPage({ path }: { readonly path: string }) {
  const [, navigate] = useLocation()
  const query = useNamed(useRead(['captures', 'one'], 'GET /api/snapshots/read', { query: { path, summary: true } }))
  const remove = useRemove(() => navigate('/captures'))
  const capture = useDrawn(query.data)?.snapshot
  return (
    <Page
      title={capture === undefined ? shell.pages.captures : nameOf(capture)}
      breadcrumbs={[{ title: shell.pages.captures, href: '/captures' }]}
      actions={
        capture === undefined ? undefined : (
          <>
            <Button
              variant="subtle"
              color="red"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => void remove([capture])}
            >
              {captures.list.remove}
            </Button>
            <CompareMenu capture={capture} />
            <Button component={Link} href={restoreAddress(path)} leftSection={<IconRestore size={16} aria-hidden />}>
              {texts.restore}
            </Button>
          </>
        )
      }
    >
      <QueryView query={query} absent={ABSENT}>
        {({ snapshot }) => (
          <Stack gap="md">
            <About capture={snapshot} />
            {typeof snapshot['bundle_path'] === 'string' ? (
              <Anchor component={Link} href={viewAddress(snapshot['bundle_path'])} size="sm">
                {texts.bundle}
              </Anchor>
            ) : null}
            {snapshot.children === undefined ? (
              <Rows path={path} feature={snapshot.feature} />
            ) : (
              <Children capture={snapshot} />
            )}
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}

function CompareMenu({ capture }: { readonly capture: Opened }) {
  const { provider, instance, feature } = capture
  const [isOpen, setOpen] = useState(false)
  const { data } = useRead(
    ['captures', 'list'],
    'GET /api/snapshots/list',
    { query: { provider, instance, feature, limit: OTHERS } },
    { enabled: isOpen },
  )
  const others = (data?.snapshots ?? []).filter(({ path, valid }) => path !== capture.path && valid)
  return (
    <Menu position="bottom-end" opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconArrowsDiff size={16} aria-hidden />}>
          {texts.compare}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
        <Menu.Label>{others.length === 0 && data !== undefined ? texts.compareNone : texts.compareWith}</Menu.Label>
        {others.map((one) => (
          <Menu.Item
            key={one.path}
            component={Link}
            href={
              one.created_at < capture.created_at
                ? compareAddress(one.path, capture.path)
                : compareAddress(capture.path, one.path)
            }
          >
            {nameOf(one)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Children({ capture }: { readonly capture: Opened }) {
  return (
    <Stack gap="sm" component="section" aria-label={texts.files}>
      <Title order={2} size="h4">
        {texts.files}
      </Title>
      <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
        {(capture.children ?? []).map(({ feature, path, error, ...more }) => {
          const stats = more['stats'] as
            | { readonly count?: number; readonly by_type?: Readonly<Record<string, number>> }
            | undefined
          return (
            <Group key={feature} component="li" justify="space-between" py="sm" className="line" wrap="nowrap">
              <div className="grow">
                {path === undefined ? (
                  <Text fw={600}>{whatOf(feature)}</Text>
                ) : (
                  <Anchor component={Link} href={viewAddress(path)} c="inherit" fw={600}>
                    {whatOf(feature)}
                  </Anchor>
                )}
                <Text size="sm" c="dimmed" truncate>
                  {error === undefined ? kindsText(stats?.by_type) : say(texts.failed, { reason: error })}
                </Text>
              </div>
              {error === undefined ? (
                <Text size="sm">{say(texts.found, { n: stats?.count ?? 0 })}</Text>
              ) : (
                <StatusBadge tone="bad" label={captures.state.partial} />
              )}
            </Group>
          )
        })}
      </Paper>
    </Stack>
  )
}

interface FileRow {
  readonly id: string
  readonly item: Row
}
type RowPage = Answer<'GET /api/snapshots/read'>
const idOf = ({ id }: FileRow) => id
// Rows with equal keys are different rows.
const rowsOf = ({ snapshot: { rows = [], offset } }: RowPage) =>
  rows.map(({ item }, index): FileRow => ({ id: String(offset + index), item: item as Row }))

function Rows({ path, feature }: { readonly path: string; readonly feature: string }) {
  const [{ text }, setFilters] = useAddressFilters(NO_FILTERS)
  const [q] = useDebouncedValue(text.trim(), TYPING_MS)
  const query = useEndless({
    key: ['captures', 'rows', path, q],
    size: PAGE,
    read: ({ offset }, signal) => api('GET /api/snapshots/read', { query: { path, q, offset, limit: PAGE }, signal }),
    rowsOf,
    idOf,
    totalOf: ({ snapshot: { total } }) => total,
    keepPrevious: true,
  })
  const { rows, total } = query
  return (
    <Stack gap="sm" component="section" aria-label={texts.rows}>
      <Group justify="space-between" align="flex-end" gap="sm">
        <div>
          <Title order={2} size="h4">
            {texts.rows}
          </Title>
          <Text size="sm" c="dimmed" role="status" mih={22}>
            {rows === undefined ? '' : say(texts.found, { n: total })}
          </Text>
        </div>
        <TextInput
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          maxLength={200}
          onChange={(event) => setFilters({ text: event.currentTarget.value })}
          style={{ flex: '0 1 20rem' }}
        />
      </Group>
      {query.error === null ? null : <Failure error={query.error} onRetry={query.retry} />}
      {rows === undefined ? (
        query.error === null ? (
          <Loading rows={8} />
        ) : null
      ) : rows.length === 0 ? (
        <EmptyState
          icon={q === '' ? IconStack2 : IconSearchOff}
          title={q === '' ? texts.empty.title : texts.noMatch.title}
          text={q === '' ? texts.empty.text : texts.noMatch.text}
        />
      ) : (
        <DataTable
          label={texts.rows}
          columns={MEASURED.includes(feature) ? COLUMNS : PLAIN}
          rows={rows}
          rowKey={idOf}
          total={total}
          height={HEIGHT}
          endless={query.list}
        />
      )}
    </Stack>
  )
}

const COLUMNS: readonly Column<FileRow>[] = [
  {
    id: 'title',
    header: texts.columns.title,
    width: 'minmax(0, 3fr)',
    isTitle: true,
    cell: ({ item }) => <TitleCell row={item} />,
  },
  { id: 'kind', header: texts.columns.kind, width: '6rem', cell: ({ item }) => <Text size="sm">{kindOf(item)}</Text> },
  {
    id: 'value',
    header: texts.columns.value,
    width: '6rem',
    cell: ({ item }) => <Text size="sm">{measureOf(item)}</Text>,
  },
  {
    id: 'at',
    header: texts.columns.at,
    width: '8rem',
    cell: ({ item }) => (
      <Text size="sm" c="dimmed" component="div">
        <Day at={timeOf(item)} />
      </Text>
    ),
  },
]

/** Features whose rows have a value in addition to the time. */
const MEASURED: readonly string[] = ['ratings', 'progress']
const PLAIN = COLUMNS.filter(({ id }) => id !== 'value')
