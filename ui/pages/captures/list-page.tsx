// The calendar, the running job, automatic captures and the list.
import { ActionIcon, Button, Group, Menu, Select, Stack, Text, Title } from '@mantine/core'
import { IconCameraPlus, IconDots, IconEraser, IconFilterOff, IconPlugConnected, IconStack2 } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { nowAtServiceMs } from '../../api/clock.ts'
import { useEndless } from '../../api/endless.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading, Pending } from '../../parts/page/loading.tsx'
import { useAddressDialog } from '../../parts/page/address-dialog.ts'
import { Page } from '../../parts/page/page.tsx'
import { isDay, useAddressFilters } from '../../parts/lists/address-filters.ts'
import { FIELD, FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { captures as texts } from '../../texts/en/captures.ts'
import { shell } from '../../texts/en/shell.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { useAccounts } from './accounts.ts'
import { Calendar, monthAfter, seconds, spanOf, ZONE } from './calendar.tsx'
import { ALL, FEATURES, whatOf, type ListQuery } from './capture.ts'
import { ClearDialog } from './clear-dialog.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { FollowCapture, JobProgress } from './job-card.tsx'
import { CaptureTable } from './list-table.tsx'
import { Schedule } from './schedule.tsx'

interface Filters {
  readonly account: string | null
  readonly feature: string | null
  readonly trigger: string | null
  readonly day: string | null
}

const NO_FILTERS: Filters = { account: null, feature: null, trigger: null, day: null }
const KNOWN = { feature: [ALL, ...FEATURES], trigger: Object.keys(texts.triggers), day: isDay }
const PAGE = 200
const WORKING_MS = 1_000
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })

export function ListPage() {
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const [month, setMonth] = useState(() =>
    monthAfter(filters.day === null ? new Date(nowAtServiceMs()) : spanOf(filters.day)[0], 0),
  )
  const creating = useAddressDialog('create')
  const [isClearing, setClearing] = useState(false)
  const [started, setStarted] = useState<readonly string[]>([])
  const { accounts, error: accountsError, refetch: readAccounts } = useAccounts()
  const query = useMemo(() => queryOf(filters), [filters])
  const list = useEndless({
    key: ['captures', 'list', query],
    size: PAGE,
    read: ({ offset }, signal) =>
      api('GET /api/snapshots/list', {
        query: { ...query, children: false, offset, limit: PAGE, ...(offset === 0 ? { days: ZONE } : {}) },
        signal,
      }),
    rowsOf: ({ snapshots }) => snapshots,
    idOf: ({ path }) => path,
    totalOf: ({ total: n }) => n,
    keepPrevious: true,
    refetchInterval: ({ jobs: some }) => (some.length > 0 ? WORKING_MS : false),
  })
  const { first, rows, total } = list
  const jobs = (first?.jobs ?? []).filter(({ id }) => !started.includes(id))
  const isFiltered = Object.values(filters).some((one) => one !== null)
  const isNew = rows !== undefined && rows.length === 0 && !isFiltered
  const noAccounts = accounts !== null && accounts.length === 0

  const create = (
    <Button leftSection={<IconCameraPlus size={16} aria-hidden />} disabled={noAccounts} onClick={creating.open}>
      {texts.create}
    </Button>
  )
  return (
    <Page
      title={shell.pages.captures}
      text={texts.intro}
      actions={
        <>
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="default" size="lg" aria-label={texts.more}>
                <IconDots size={18} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                c="var(--mantine-color-error)"
                disabled={noAccounts}
                leftSection={<IconEraser size={16} aria-hidden />}
                onClick={() => setClearing(true)}
              >
                {texts.clearAccount}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
          {create}
        </>
      }
    >
      <Stack gap="md">
        {accountsError === null ? null : <Failure error={accountsError} onRetry={() => void readAccounts()} />}
        {started.map((id) => (
          <FollowCapture key={id} id={id} onClose={() => setStarted(started.filter((one) => one !== id))} />
        ))}
        {jobs.map((job) => (
          <JobProgress key={job.id} job={job} />
        ))}
        <div className="captures">
          <div className="captures-aside">
            <Calendar
              month={month}
              onMonth={setMonth}
              day={filters.day}
              onDay={(day) => setFilters({ ...filters, day })}
              days={isFiltered || list.isPlaceholderData ? undefined : first?.days}
              isComing={!isFiltered && (first === undefined || list.isPlaceholderData)}
            />
            {accounts !== null ? <Schedule accounts={accounts} /> : accountsError === null ? <Pending /> : null}
          </div>
          <Stack gap="sm" component="section" aria-label={texts.all} style={{ minWidth: 0 }}>
            <Group justify="space-between" gap="xs">
              <Title order={2} size="h4">
                {filters.day === null ? texts.all : say(texts.ofDay, { day: DAY.format(spanOf(filters.day)[0]) })}
              </Title>
              {filters.day === null ? null : (
                <Button variant="subtle" size="compact-sm" onClick={() => setFilters({ ...filters, day: null })}>
                  {texts.allDays}
                </Button>
              )}
            </Group>
            {isNew ? null : <Filter filters={filters} onFilters={setFilters} accounts={accounts ?? []} />}
            {list.error === null ? null : <Failure error={list.error} onRetry={list.retry} />}
            {rows === undefined ? (
              list.error === null ? (
                <Loading rows={6} />
              ) : null
            ) : rows.length > 0 ? (
              <>
                <Text size="sm" c="dimmed" role="status">
                  {say(texts.total, { n: total })}
                </Text>
                <CaptureTable rows={rows} total={total} endless={list.list} />
              </>
            ) : isFiltered ? (
              <EmptyState
                icon={IconFilterOff}
                title={texts.noMatch.title}
                text={texts.noMatch.text}
                action={
                  <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
                    {texts.noMatch.action}
                  </Button>
                }
              />
            ) : noAccounts ? (
              <EmptyState
                icon={IconPlugConnected}
                title={texts.empty.title}
                text={texts.empty.connectText}
                action={
                  <Button component={Link} href="/connections">
                    {texts.empty.connect}
                  </Button>
                }
              />
            ) : (
              <EmptyState icon={IconStack2} title={texts.empty.title} text={texts.empty.text} action={create} />
            )}
          </Stack>
        </div>
      </Stack>
      {creating.isOpen && accounts !== null ? (
        <CreateDialog
          accounts={accounts}
          onClose={creating.close}
          onStarted={(id) => {
            setStarted([id, ...started])
            creating.close()
          }}
        />
      ) : null}
      {isClearing && accounts !== null ? <ClearDialog accounts={accounts} onClose={() => setClearing(false)} /> : null}
    </Page>
  )
}

function queryOf({ account, feature, trigger, day }: Filters): ListQuery {
  const [provider, instance = 'default'] = account?.split('@') ?? []
  const span = day === null ? null : spanOf(day)
  return {
    ...(provider === undefined ? {} : { provider, instance }),
    feature: feature ?? undefined,
    trigger: (trigger ?? undefined) as ListQuery['trigger'],
    ...(span === null ? {} : { since: seconds(span[0]), until: seconds(span[1]) }),
  }
}

function Filter({
  filters,
  onFilters,
  accounts,
}: {
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
  readonly accounts: readonly { readonly value: string; readonly label: string }[]
}) {
  const { filters: names } = texts
  const choice = (name: 'account' | 'feature' | 'trigger') => ({
    clearable: true,
    value: filters[name],
    onChange: (value: string | null) => onFilters({ ...filters, [name]: value }),
    style: FIELD,
    size: 'sm',
  })
  return (
    <FilterPanel
      set={[filters.account, filters.feature, filters.trigger].filter((one) => one !== null).length}
      onClear={() => onFilters({ ...NO_FILTERS, day: filters.day })}
    >
      <Select
        label={names.account}
        placeholder={names.allAccounts}
        data={accounts.map(({ value, label }) => ({ value, label }))}
        {...choice('account')}
      />
      <Select
        label={names.feature}
        placeholder={names.allFeatures}
        data={[ALL, ...FEATURES].map((value) => ({ value, label: whatOf(value) }))}
        {...choice('feature')}
      />
      <Select
        label={names.trigger}
        placeholder={names.allTriggers}
        data={Object.entries(texts.triggers).map(([value, label]) => ({ value, label }))}
        {...choice('trigger')}
      />
    </FilterPanel>
  )
}
