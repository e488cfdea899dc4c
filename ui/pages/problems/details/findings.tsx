// Findings by severity and kind, filtered and paged by the service.
import { Alert, Button, Group, Loader, Paper, Select, Stack, Switch, Text, UnstyledButton } from '@mantine/core'
import { IconChecks, IconFilterOff, IconLink } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { api } from '../../../api/client.ts'
import { useEndless } from '../../../api/endless.ts'
import { DataTable, type Column } from '../../../parts/lists/data-table.tsx'
import { FIELD, FilterPanel } from '../../../parts/lists/filter-panel.tsx'
import { EmptyState } from '../../../parts/page/empty-state.tsx'
import { NextStep } from '../../../parts/page/next-step.tsx'
import { Failure } from '../../../parts/page/failure.tsx'
import { featureName } from '../../../parts/values/names.ts'
import { ServiceMark } from '../../../parts/values/service-mark.tsx'
import { StatusBadge } from '../../../parts/values/status-badge.tsx'
import { Thumb } from '../../../parts/titles/thumb.tsx'
import { TimeText } from '../../../parts/values/time-text.tsx'
import { analyzer as texts } from '../../../texts/en/analyzer.ts'
import { say } from '../../../texts/say.ts'
import { Detail } from './detail.tsx'
import {
  SEVERITIES,
  titleOf,
  TONES,
  useAccountName,
  useKinds,
  type Finding,
  type Kind,
  type ProblemsPage,
  type ProblemsQuery,
  type Severity,
} from './finding.ts'

const PAGE = 250
const HEIGHT = 'max(22rem, calc(100dvh - 20rem))'

interface Filters {
  readonly severity: Severity | null
  readonly type: string | null
  readonly provider: string | null
  readonly feature: string | null
  readonly withHidden: boolean
}
const NO_FILTERS: Filters = { severity: null, type: null, provider: null, feature: null, withHidden: false }

export function Findings({ query, hasPairs }: { readonly query: ProblemsQuery; readonly hasPairs: boolean }) {
  const [filters, setFilters] = useState(NO_FILTERS)
  const [open, setOpen] = useState<Finding | null>(null)
  const kindOf = useKinds()
  const accountName = useAccountName()
  const set = (part: Partial<Filters>) => setFilters({ ...filters, ...part })
  const asked = useMemo(() => ({ ...query, ...queryOf(filters), include_system: true }), [query, filters])
  const list = useEndless({
    key: ['analyzer', 'problems', asked],
    size: PAGE,
    read: ({ offset }, signal) =>
      api('GET /api/analyzer/problems', { query: { ...asked, offset, limit: PAGE, attention_limit: 0 }, signal }),
    rowsOf: ({ problems }) => problems,
    idOf,
    totalOf: ({ total }) => total,
    keepPrevious: true,
  })
  const { first, rows } = list
  const columns = useMemo(() => columnsOf(kindOf, accountName), [kindOf, accountName])
  const isFiltered =
    filters.severity !== null || filters.type !== null || filters.provider !== null || filters.feature !== null

  if (first === undefined || rows === undefined)
    return list.error !== null ? (
      <Failure error={list.error} onRetry={list.retry} />
    ) : (
      <Paper withBorder p="xl" role="status">
        <Group justify="center" gap="sm">
          <Loader size="sm" />
          <Text>{texts.looking}</Text>
        </Group>
      </Paper>
    )
  const { summary, excluded, failed_rules: failed } = first
  const accounts = [...new Set(first.pair_stats.flatMap(({ source, target }) => [source, target]))]
  const looked = (
    <Text size="sm" c="dimmed" component="div">
      {texts.looked} <TimeText at={list.dataUpdatedAt} />
    </Text>
  )
  return (
    <Stack gap="md">
      {list.error === null ? null : <Failure error={list.error} onRetry={list.retry} />}
      {failed.length === 0 ? null : (
        <Alert color="orange" title={say(texts.failedRules, { n: failed.length })}>
          {failed.map(({ rule, message }) => `${rule}: ${message}`).join(' · ')}
        </Alert>
      )}
      {summary.total === 0 && !isFiltered && rows.length === 0 ? (
        hasPairs ? (
          <EmptyState
            icon={IconChecks}
            title={texts.empty.title}
            text={
              <>
                {texts.empty.text}
                {looked}
                {excluded === 0 ? null : (
                  <Button variant="subtle" size="compact-sm" onClick={() => set({ withHidden: true })}>
                    {say(texts.hidden, { n: excluded })}
                  </Button>
                )}
              </>
            }
          />
        ) : (
          <EmptyState icon={IconLink} title={texts.noData.title} text={texts.noData.text} action={<NextStep />} />
        )
      ) : (
        <div className="findings">
          <Kinds summary={summary} filters={filters} kindOf={kindOf} onFilters={set} />
          <Stack gap="sm" style={{ minWidth: 0 }}>
            <FilterPanel
              set={[filters.provider, filters.feature, filters.withHidden || null].filter((one) => one !== null).length}
              onClear={() => set({ provider: null, feature: null, withHidden: false })}
            >
              <Select
                label={texts.filters.account}
                placeholder={texts.filters.allAccounts}
                clearable
                data={accounts.map((value) => ({ value, label: accountName(value) }))}
                value={filters.provider}
                onChange={(provider) => set({ provider })}
                style={FIELD}
              />
              <Select
                label={texts.filters.feature}
                placeholder={texts.filters.allFeatures}
                clearable
                data={['watchlist', 'history', 'ratings', 'progress'].map((value) => ({
                  value,
                  label: featureName(value),
                }))}
                value={filters.feature}
                onChange={(feature) => set({ feature })}
                style={FIELD}
              />
              {excluded === 0 && !filters.withHidden ? null : (
                <Switch
                  label={`${texts.showHidden} (${say('{n}', { n: excluded })})`}
                  checked={filters.withHidden}
                  onChange={(event) => set({ withHidden: event.currentTarget.checked })}
                  mb="xs"
                />
              )}
            </FilterPanel>
            <Group justify="space-between" gap="xs" mih={24}>
              <Text size="sm" c="dimmed" role="status">
                {say(texts.found, { n: first.total })}
              </Text>
              {looked}
            </Group>
            {rows.length === 0 ? (
              <EmptyState
                icon={IconFilterOff}
                title={texts.noMatch.title}
                text={texts.noMatch.text}
                action={
                  <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
                    {texts.filters.clear}
                  </Button>
                }
              />
            ) : (
              <DataTable
                label={texts.label}
                columns={columns}
                rows={rows}
                rowKey={idOf}
                total={first.total}
                height={HEIGHT}
                onOpen={setOpen}
                endless={list.list}
              />
            )}
          </Stack>
        </div>
      )}
      {open === null ? null : (
        <Detail finding={open} kind={kindOf(open.type)} query={query} onClose={() => setOpen(null)} />
      )}
    </Stack>
  )
}

function queryOf({ severity, type, provider, feature, withHidden }: Filters): ProblemsQuery {
  return {
    ...(severity === null ? {} : { severity }),
    ...(type === null ? {} : { type }),
    ...(provider === null ? {} : { provider }),
    ...(feature === null ? {} : { feature }),
    ...(withHidden ? { include_excluded: true } : {}),
  }
}

function idOf({ type, provider, feature, key, message, ...more }: Finding): string {
  return [type, provider, feature, key ?? message, more['path'], more['artifact'], more['target']].join(' ')
}

interface KindsProps {
  readonly summary: ProblemsPage['summary']
  readonly filters: Filters
  readonly kindOf: (type: string) => Kind
  readonly onFilters: (part: Partial<Filters>) => void
}

function Kinds({ summary, filters, kindOf, onFilters }: KindsProps) {
  const types = Object.entries(summary.by_type)
    .filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a)
  return (
    <Paper withBorder p="sm" component="nav" aria-label={texts.byKind}>
      <div className="finding-severities">
        {SEVERITIES.map((severity) => (
          <UnstyledButton
            key={severity}
            className="finding-kind"
            aria-pressed={filters.severity === severity}
            onClick={() => onFilters({ severity: filters.severity === severity ? null : severity })}
          >
            <Text size="xl" fw={650} c={summary.by_severity[severity] === 0 ? 'dimmed' : undefined}>
              {say('{n}', { n: summary.by_severity[severity] })}
            </Text>
            <Text size="xs" c="dimmed">
              {texts.severities[severity]}
            </Text>
          </UnstyledButton>
        ))}
      </div>
      <Stack gap="3xs" mt="xs" className="finding-kinds">
        <UnstyledButton
          className="finding-kind"
          aria-pressed={filters.type === null}
          onClick={() => onFilters({ type: null, severity: null })}
        >
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm">{texts.all}</Text>
            <Text size="sm" c="dimmed">
              {say('{n}', { n: summary.total })}
            </Text>
          </Group>
        </UnstyledButton>
        {types.map(([type, n]) => {
          const { label, meaning } = kindOf(type)
          return (
            <UnstyledButton
              key={type}
              className="finding-kind"
              aria-pressed={filters.type === type}
              title={meaning}
              onClick={() => onFilters({ type: filters.type === type ? null : type })}
            >
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Text size="sm" truncate>
                  {label}
                </Text>
                <Text size="sm" c="dimmed">
                  {say('{n}', { n })}
                </Text>
              </Group>
            </UnstyledButton>
          )
        })}
      </Stack>
    </Paper>
  )
}

function columnsOf(
  kindOf: (type: string) => Kind,
  accountName: (name: string | null | undefined) => string,
): readonly Column<Finding>[] {
  const { columns: names } = texts
  return [
    {
      id: 'title',
      header: names.title,
      width: 'minmax(0, 2fr)',
      isTitle: true,
      cell: (one) => (
        <Group gap="xs" wrap="nowrap">
          {one.key == null ? null : <Thumb itemKey={one.key} title={titleOf(one)} />}
          <Text size="sm" fw={600} truncate title={[titleOf(one), one.message].join(' – ')} dir="auto">
            {titleOf(one)}
            {typeof one['year'] === 'number' ? (
              <Text span c="dimmed" fw={400} inherit>
                {' '}
                {String(one['year'])}
              </Text>
            ) : null}
          </Text>
        </Group>
      ),
    },
    {
      id: 'kind',
      header: names.kind,
      width: 'minmax(0, 1.2fr)',
      cell: ({ type }) => (
        <Text size="sm" truncate title={kindOf(type).meaning}>
          {kindOf(type).label}
        </Text>
      ),
    },
    {
      id: 'account',
      header: names.account,
      width: 'minmax(0, 1fr)',
      cell: ({ provider }) => (
        <Group gap="xs" wrap="nowrap">
          {provider === null ? null : <ServiceMark provider={provider.split('@')[0] ?? ''} size={18} />}
          <Text size="sm" truncate>
            {accountName(provider)}
          </Text>
        </Group>
      ),
    },
    {
      id: 'feature',
      header: names.feature,
      width: '5.5rem',
      cell: ({ feature }) => <Text size="sm">{feature === null ? '' : featureName(feature)}</Text>,
    },
    {
      id: 'severity',
      header: names.severity,
      width: '6.5rem',
      cell: ({ severity }) => <StatusBadge tone={TONES[severity]} label={texts.severity[severity]} />,
    },
  ]
}
