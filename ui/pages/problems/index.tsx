// Problems: all that is not in sync, wrong or doubtful, by cause, each with the action that resolves it.
import { Alert, Button, Select, Stack, Switch, Text } from '@mantine/core'
import { IconChecks, IconEyeOff, IconFilterOff, IconInfoCircle, IconPlayerPause } from '@tabler/icons-react'
import { useMemo } from 'react'
import { Link, Redirect } from 'wouter'
import { useRead } from '../../api/query.ts'
import type { PageProps } from '../../app/page-props.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { FIELD, FilterPanel } from '../../parts/lists/filter-panel.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { ProblemGroup } from '../../parts/problems/problem-group.tsx'
import { problemNumber } from '../../parts/problems/problem-number.ts'
import type { Board, ProblemFilter } from '../../parts/problems/use-problem-actions.ts'
import { statusLabel } from '../../parts/runs/sync-badge.tsx'
import { useFeatureNames, useNames } from '../../parts/values/names.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { problems as texts } from '../../texts/en/problems.ts'
import { runs } from '../../texts/en/runs.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { CheckAgain } from './check-again.tsx'
import { Details, DETAIL_TABS } from './details/index.tsx'
import { Finding } from './finding.tsx'

const NONE = {
  cause: null as string | null,
  pair: null as string | null,
  run: null as string | null,
  account: null as string | null,
  feature: null as string | null,
  ignored: false,
  /** Only causes of this source. */
  source: null as string | null,
  /** Id of the problem whose finding is open. */
  finding: null as string | null,
  /** The open tab of the details. */
  details: null as string | null,
}
/** They narrow nothing. */
const VIEWS: ReadonlySet<string> = new Set(['ignored', 'finding', 'details'])
const CHECKS = 'analyzer'
type Filters = typeof NONE
const FEATURES = Object.keys(runs.features)
const REFRESH_MS = 60_000

export default function ProblemArea({ path }: PageProps) {
  return path === '/analyzer' ? <FromAnalyzer /> : <Problems />
}

/** The address of the former page of the analyzer. */
function FromAnalyzer() {
  const type = new URLSearchParams(window.location.search).get('type')
  const narrowed = type === null ? ['source', CHECKS] : ['cause', `${CHECKS}:${type}`]
  return <Redirect to={`/problems?${new URLSearchParams([narrowed]).toString()}`} replace />
}

function Problems() {
  const [filters, setFilters] = useAddressFilters<Filters>(NONE, {
    feature: FEATURES,
    source: [CHECKS],
    details: DETAIL_TABS,
  })
  const set = (part: Partial<Filters>) => setFilters({ ...filters, ...part })
  const { cause } = filters
  const filter = useMemo(() => queryOf(filters), [filters])
  const query = useRead(
    ['problems', 'causes'],
    'GET /api/problems',
    { query: { ...filter, limit: 0 } },
    { refetchInterval: REFRESH_MS, keepPrevious: true },
  )
  const status = useRead(['pairs', 'status'], 'GET /api/pairs/status')
  const names = useNames()
  const featureName = useFeatureNames()
  const pairs = status.data?.pairs ?? []
  const accounts = accountsOf(pairs, names.account)
  const isFiltered = Object.entries(filters).some(([name, value]) => !VIEWS.has(name) && value !== null)
  const board = query.data === undefined ? undefined : ofSource(query.data, filters.source)
  const clear = () => setFilters({ ...NONE, ignored: filters.ignored, details: filters.details })

  return (
    <Page
      title={shell.pages.problems}
      text={<span role="status">{board === undefined ? '\u00a0' : numberOf(board, filters.ignored)}</span>}
      actions={<CheckAgain />}
    >
      <FilterPanel
        set={
          [filters.pair, filters.run, filters.account, filters.feature, filters.source, cause].filter(
            (one) => one !== null,
          ).length
        }
        onClear={clear}
      >
        <Select
          label={texts.filters.pair}
          placeholder={texts.filters.all}
          clearable
          data={pairs.map(({ id, name }) => ({ value: id, label: name || runs.noName }))}
          value={filters.pair}
          onChange={(pair) => set({ pair })}
          style={FIELD}
        />
        <Select
          label={texts.filters.account}
          placeholder={texts.filters.all}
          clearable
          data={accounts}
          value={filters.account}
          onChange={(account) => set({ account })}
          style={FIELD}
        />
        <Select
          label={texts.filters.feature}
          placeholder={texts.filters.all}
          clearable
          data={FEATURES.map((value) => ({ value, label: featureName(value) }))}
          value={filters.feature}
          onChange={(feature) => set({ feature })}
          style={FIELD}
        />
        {filters.source === null ? null : (
          <Switch label={texts.filters.checks} checked onChange={() => set({ source: null })} mb="xs" />
        )}
        {filters.run === null ? null : (
          <Switch label={texts.filters.run} checked onChange={() => set({ run: null })} mb="xs" />
        )}
        <Switch
          label={
            board === undefined || filters.ignored || board.ignored === 0
              ? texts.filters.ignored
              : say(texts.filters.ignoredCount, { n: board.ignored })
          }
          checked={filters.ignored}
          onChange={(event) => set({ ignored: event.currentTarget.checked, cause: null })}
          mb="xs"
        />
      </FilterPanel>
      <QueryView query={query} rows={6}>
        {(data) => {
          const { causes } = ofSource(data, filters.source)
          const shown = cause === null ? causes : causes.filter((one) => one.cause === cause)
          return (
            <Stack gap="md">
              {data.is_complete ? null : (
                <Alert color="blue" icon={<IconInfoCircle aria-hidden />}>
                  {texts.incomplete}
                </Alert>
              )}
              {shown.length === 0 ? (
                <Empty filters={filters} isFiltered={isFiltered} status={status.data} onClear={clear} />
              ) : (
                shown.map((one) => (
                  <ProblemGroup
                    key={one.cause}
                    cause={one}
                    filter={filter}
                    isAlone={cause !== null}
                    onShowAll={() => set({ cause: one.cause })}
                  />
                ))
              )}
            </Stack>
          )
        }}
      </QueryView>
      <Details tab={filters.details} onTab={(details) => set({ details })} />
      {filters.finding === null ? null : (
        <Finding key={filters.finding} id={filters.finding} onClose={() => set({ finding: null })} />
      )}
    </Page>
  )
}

/** The causes of one source, with their numbers. */
function ofSource(board: Board, source: string | null): Board {
  if (source === null) return board
  const causes = board.causes.filter(({ cause }) => cause.startsWith(`${source}:`))
  const sum = (name: 'rows' | 'need_you') => causes.reduce((total, one) => total + one[name], 0)
  return { ...board, causes, total: sum('rows'), need_you: sum('need_you') }
}

interface EmptyProps {
  readonly filters: Filters
  readonly isFiltered: boolean
  readonly status: Parameters<typeof lastOf>[0] | undefined
  readonly onClear: () => void
}

function Empty({ filters, isFiltered, status, onClear }: EmptyProps) {
  const names = useNames()
  const clear = (
    <Button variant="default" onClick={onClear}>
      {texts.empty.clear}
    </Button>
  )
  if (filters.ignored && !isFiltered)
    return <EmptyState icon={IconEyeOff} title={texts.empty.ignored} text={texts.empty.ignoredText} />
  if (filters.run !== null)
    return <EmptyState icon={IconChecks} title={texts.empty.other} text={texts.empty.ofRun} action={clear} />
  if (isFiltered)
    return (
      <EmptyState icon={IconFilterOff} title={texts.empty.filtered} text={texts.empty.filteredText} action={clear} />
    )
  if (status === undefined) return null
  const last = lastOf(status)
  const when =
    last === null ? null : (
      <Text component="div">
        {texts.empty.last} <TimeText at={last * 1_000} />
      </Text>
    )
  if (last === null)
    return (
      <EmptyState
        icon={IconPlayerPause}
        title={texts.empty.neverTitle}
        text={texts.empty.never}
        action={<NextStep />}
      />
    )
  // A paused schedule counts neither as a problem nor as in sync.
  if (status.sync_status.state !== 'in_sync')
    return (
      <EmptyState
        icon={IconPlayerPause}
        title={texts.empty.other}
        text={
          <>
            {say(texts.empty.paused, { status: statusLabel(status.sync_status, names) })}
            {when}
          </>
        }
        action={
          <Button component={Link} href="/pairs" variant="default">
            {texts.empty.pairs}
          </Button>
        }
      />
    )
  return (
    <EmptyState
      icon={IconChecks}
      title={texts.empty.title}
      text={
        <>
          {texts.empty.text}
          {when}
        </>
      }
    />
  )
}

function numberOf(board: Board, isIgnored: boolean): string {
  return isIgnored ? say('{n}', { n: board.total }) : problemNumber(board)
}

function queryOf({ pair, run, account, feature, ignored }: Filters): ProblemFilter {
  return {
    ...(pair === null ? {} : { pair }),
    ...(run === null ? {} : { run }),
    ...(account === null ? {} : { account }),
    ...(feature === null ? {} : { feature: feature as NonNullable<ProblemFilter['feature']> }),
    ...(ignored ? { ignored } : {}),
  }
}

interface Ends {
  readonly source: string
  readonly source_instance: string
  readonly target: string
  readonly target_instance: string
}

function accountsOf(pairs: readonly Ends[], nameOf: (provider: string, instance: string) => string) {
  const named = pairs.flatMap((pair) => [
    [pair.source, pair.source_instance] as const,
    [pair.target, pair.target_instance] as const,
  ])
  return [
    ...new Map(named.map(([provider, instance]) => [`${provider}@${instance}`, nameOf(provider, instance)] as const)),
  ].map(([value, label]) => ({ value, label }))
}

/** Epoch seconds of the newest run; null before the first one. */
function lastOf({
  pairs,
}: {
  readonly pairs: readonly { readonly last_finished_at: number | null }[]
  readonly sync_status: Parameters<typeof statusLabel>[0]
}): number | null {
  const times = pairs.flatMap(({ last_finished_at: at }) => at ?? [])
  return times.length === 0 ? null : Math.max(...times)
}
