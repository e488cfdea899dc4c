// Compares two captures: counts, and every difference, filtered and paged by the service.
import { Button, Group, Paper, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { ChoiceChips } from '../../parts/lists/choice-chips.tsx'
import { useDebouncedValue } from '@mantine/hooks'
import { IconArrowsExchange, IconEqual, IconSearch, IconSearchOff } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { useRead } from '../../api/query.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { Absent } from '../../parts/page/absent.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { useDrawn } from '../../api/drawn.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { featureName, useNamed, useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { captures } from '../../texts/en/captures.ts'
import { shell } from '../../texts/en/shell.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { ABSENT, ALL, compareAddress, nameOf, viewAddress } from './capture.ts'
import { TitleCell, type Row } from './rows.tsx'

const { compare: texts } = captures
type DiffPage = Answer<'GET /api/snapshots/diff/extended'>
type Diff = DiffPage['diff']
type Difference = Diff['items'][number]
type Status = keyof typeof texts.status

const KINDS = ['all', 'added', 'removed', 'updated', 'unchanged'] as const
type Kind = (typeof KINDS)[number]
const PAGE = 200
const TYPING_MS = 250
const HEIGHT = 'max(22rem, calc(100dvh - 22rem))'
const CHANGES = 25
const TONES = { added: 'good', removed: 'bad', updated: 'warn', unchanged: 'idle' } as const
const list = new Intl.ListFormat(locale, { type: 'conjunction' })
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

export function ComparePage({ a, b }: { readonly a: string; readonly b: string }) {
  const isChosen = a !== '' && b !== ''
  const query = { a, b, allow_cross_instance: true }
  const read = useRead(
    ['captures', 'diff'],
    'GET /api/snapshots/diff',
    { query: { ...query, limit: 1 } },
    { enabled: isChosen },
  )
  const short = useNamed(read)
  const diff = useDrawn(short.data)?.diff
  return (
    <Page
      title={texts.title}
      breadcrumbs={[{ title: shell.pages.captures, href: '/captures' }]}
      text={diff === undefined ? undefined : sentence(diff.summary)}
      actions={
        diff !== undefined ? (
          <Button
            component={Link}
            href={compareAddress(b, a)}
            variant="default"
            leftSection={<IconArrowsExchange size={16} aria-hidden />}
          >
            {texts.swap}
          </Button>
        ) : undefined
      }
    >
      {!isChosen ? (
        <Absent icon={IconEqual} title={texts.title} text={texts.missing} to={captures.absent.to} href="/captures" />
      ) : (
        <QueryView query={short} rows={6} absent={ABSENT}>
          {({ diff: { a: from, b: to } }) => (
            <Stack gap="md">
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <Side title={texts.from} side={from} />
                <Side title={texts.to} side={to} />
              </SimpleGrid>
              <Differences key={`${a} ${b}`} query={query} />
            </Stack>
          )}
        </QueryView>
      )}
    </Page>
  )
}

function sentence({ added, removed, updated, unchanged }: Diff['summary']): string {
  return added + removed + updated === 0 ? texts.same : say(texts.sentence, { added, removed, updated, unchanged })
}

function Side({ title, side }: { readonly title: string; readonly side: Diff['a'] }) {
  const names = useNames()
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <ServiceMark provider={side.provider} />
        <Text component={Link} href={viewAddress(side.path)} fw={600} truncate c="inherit" dir="auto">
          {nameOf(side)}
        </Text>
      </Group>
      <Text size="sm" c="dimmed" component="div">
        {names.account(side.provider, side.instance)} · {say(captures.view.found, { n: side.count })} ·{' '}
        <TimeText at={side.created_at} />
      </Text>
    </Paper>
  )
}

interface Filters {
  readonly kind: Kind
  readonly feature: string
  readonly text: string
}

const NO_FILTERS: Filters = { kind: 'all', feature: '', text: '' }

function Differences({
  query,
}: {
  readonly query: { readonly a: string; readonly b: string; readonly allow_cross_instance: boolean }
}) {
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, { kind: KINDS })
  const { kind, feature, text } = filters
  const [q] = useDebouncedValue(text.trim(), TYPING_MS)
  const found = useEndless({
    key: ['captures', 'differences', query, kind, feature, q],
    size: PAGE,
    read: ({ offset }, signal) =>
      api('GET /api/snapshots/diff/extended', {
        query: { ...query, kind, feature, q, offset, limit: PAGE, max_changes: CHANGES },
        signal,
      }),
    rowsOf: ({ diff: { items } }) => items,
    idOf,
    totalOf: ({ diff: { total } }) => total,
    keepPrevious: true,
  })
  const { rows } = found
  const first = found.first?.diff
  const counts = first === undefined ? null : countsOf(first.summary)
  const features = first?.available_features ?? []
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end" role="search">
        {features.length > 1 ? (
          <Select
            label={texts.feature}
            allowDeselect={false}
            data={features.map((value) => ({ value, label: featureName(value) }))}
            value={feature === '' ? (first?.selected_feature ?? null) : feature}
            onChange={(value) => setFilters({ ...filters, feature: value === ALL || value === null ? '' : value })}
            w="11rem"
          />
        ) : null}
        <TextInput
          type="search"
          label={texts.search}
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={200}
          value={text}
          onChange={(event) => setFilters({ ...filters, text: event.currentTarget.value })}
          style={{ flex: '1 1 14rem' }}
        />
      </Group>
      {/* Their widths depend on the counts. */}
      <div style={first === undefined && found.error === null ? { visibility: 'hidden' } : undefined}>
        <ChoiceChips
          label={texts.show}
          options={KINDS.map((one) => ({
            value: one,
            label: `${texts.counts[one]} ${counts === null ? '' : say('{n}', { n: counts[one] })}`,
          }))}
          value={kind}
          onChange={(next) => setFilters({ ...filters, kind: next })}
        />
      </div>
      {found.error === null ? null : <Failure error={found.error} onRetry={found.retry} />}
      {rows === undefined ? (
        found.error === null ? (
          <Loading rows={8} />
        ) : null
      ) : rows.length === 0 ? (
        <EmptyState icon={IconSearchOff} title={texts.nothing.title} text={texts.nothing.text} />
      ) : (
        <DataTable
          label={texts.label}
          columns={COLUMNS}
          rows={rows}
          rowKey={idOf}
          total={first?.total ?? rows.length}
          height={HEIGHT}
          endless={found.list}
        />
      )}
    </Stack>
  )
}

const idOf = ({ key, status }: Difference) => `${status} ${key}`

function countsOf({ added, removed, updated, unchanged }: Diff['summary']): Readonly<Record<Kind, number>> {
  return { all: added + removed + updated + unchanged, added, removed, updated, unchanged }
}

const COLUMNS: readonly Column<Difference>[] = [
  {
    id: 'title',
    header: texts.columns.title,
    width: 'minmax(0, 2fr)',
    isTitle: true,
    cell: ({ brief }) => <TitleCell row={brief as Row} />,
  },
  {
    id: 'what',
    header: texts.columns.what,
    width: '8rem',
    cell: ({ status }) => (
      <StatusBadge tone={TONES[status as Status] ?? 'idle'} label={texts.status[status as Status] ?? status} />
    ),
  },
  {
    id: 'change',
    header: texts.columns.change,
    width: 'minmax(0, 2fr)',
    cell: (one) => {
      const text = changesText(one)
      return (
        <Text size="sm" c="dimmed" truncate title={text} dir="auto">
          {text}
        </Text>
      )
    },
  },
]

/** "rating: 7 → 8, watched: 1 Mar 2026 added". */
function changesText({ changes = [] }: Difference): string {
  const said = changes.map(({ path, old, new: next }) => {
    const field =
      (texts.fields as Readonly<Record<string, string>>)[path] ??
      (texts.fields as Readonly<Record<string, string>>)[path.split('.')[0] ?? ''] ??
      path
    if (old === null || old === undefined) return say(texts.come, { field, after: valueText(next) })
    if (next === null || next === undefined) return say(texts.gone, { field, before: valueText(old) })
    return say(texts.change, { field, before: valueText(old), after: valueText(next) })
  })
  return said.join(', ')
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

function valueText(value: unknown): string {
  if (Array.isArray(value)) return list.format(value.map(valueText))
  if (typeof value === 'string' && TIME.test(value)) {
    const ms = Date.parse(value.length === 'YYYY-MM-DDTHH:MM'.length ? `${value}Z` : value)
    return Number.isFinite(ms) ? DAY.format(ms) : value
  }
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, one]) => `${name} ${valueText(one)}`)
      .join(', ')
  return String(value)
}
