// Event charts, loaded on first use.
import { Anchor, Group, Paper, Progress, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { useNamed, useNames } from '../../parts/values/names.ts'
import { BarChart } from '../../parts/charts/bar-chart.tsx'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { events } from '../../texts/en/events.ts'
import { say } from '../../texts/say.ts'
import { addressOf, type Time } from './filters.ts'
import { reasonText } from '../../parts/values/event-text.ts'
import { locale } from '../../texts/language.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'

type Statistics = Answer<'GET /api/events/statistics'>
type Range = keyof typeof events.charts.ranges
interface Kpi {
  readonly value: number | null
  readonly delta: number | null
}

const texts = events.charts
const RANGES = (Object.keys(texts.ranges) as Range[]).map((value) => ({ value, label: texts.ranges[value] }))
const NO_FILTERS: { readonly range: Range } = { range: '30d' }
const KNOWN = { range: Object.keys(texts.ranges) }
const HOUR = 3_600
const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const deltas = new Intl.NumberFormat(locale, { maximumFractionDigits: 0, signDisplay: 'exceptZero', style: 'percent' })
const hours = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' })
// Includes the zone, because one hour occurs twice a year.
const hoursOfZone = new Intl.DateTimeFormat(locale, {
  weekday: 'long',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
})
const daysOfYear = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const days = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' })

export default function ChartsView() {
  const [{ range }, setFilters] = useAddressFilters(NO_FILTERS, KNOWN)
  const read = useRead(
    ['events', 'statistics'],
    'GET /api/events/statistics',
    { query: { range, tz: Intl.DateTimeFormat().resolvedOptions().timeZone } },
    { keepPrevious: true },
  )
  const query = useNamed(read)
  return (
    <Stack>
      <Group>
        <SegmentedControl
          aria-label={texts.range}
          value={range}
          onChange={(value) => setFilters({ range: value as Range })}
          data={RANGES}
          style={{ maxWidth: '100%', overflowX: 'auto' }}
        />
      </Group>
      <QueryView
        query={query}
        rows={6}
        isEmpty={isEmpty}
        empty={<EmptyState icon={IconChartBar} title={texts.nothing} text={texts.nothingText} />}
      >
        {(data) => <Charts data={data} range={range} />}
      </QueryView>
    </Stack>
  )
}

function isEmpty({ trend, failure_reasons: reasons }: Statistics): boolean {
  return (
    reasons.length === 0 && trend.every(({ sync, webhook, watcher, failed }) => sync + webhook + watcher + failed === 0)
  )
}

function Charts({ data, range }: { readonly data: Statistics; readonly range: Range }) {
  const {
    trend,
    range: { bucket },
    kpis,
  } = data
  const at = bucket === HOUR ? hours : days
  const columns = trend.map(({ t, sync, webhook, watcher, failed }) => ({
    name: (bucket === HOUR ? hoursOfZone : daysOfYear).format(t * 1000),
    mark: at.format(t * 1000),
    values: [sync, webhook + watcher, failed],
  }))
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
        {(Object.keys(texts.kpis) as (keyof typeof texts.kpis)[]).map((name) => (
          <Tile key={name} name={name} kpi={kpis[name] as Kpi} />
        ))}
      </SimpleGrid>
      <Card title={texts.activity}>
        <BarChart
          label={texts.activity}
          columnLabel={texts.time}
          columns={columns}
          series={[
            { label: texts.series.sync, color: 'playhead.6' },
            { label: texts.series.deliveries, color: 'teal.6' },
            { label: texts.series.failed, color: 'red.6' },
          ]}
        />
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card title={texts.reasons}>
          <Reasons reasons={data.failure_reasons} range={range} />
        </Card>
        <Card title={texts.routes}>
          <Routes routes={data.routes} />
        </Card>
      </SimpleGrid>
    </Stack>
  )
}

function Card({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

function Tile({ name, kpi: { value, delta } }: { readonly name: keyof typeof texts.kpis; readonly kpi: Kpi }) {
  const shown =
    value === null
      ? '–'
      : name === 'success_rate'
        ? `${numbers.format(value)} %`
        : name === 'avg_duration'
          ? `${numbers.format(value)} s`
          : numbers.format(value)
  return (
    <Paper withBorder p="sm">
      <Text size="sm" c="dimmed">
        {texts.kpis[name]}
      </Text>
      <Text size="xl" fw={600}>
        {shown}
      </Text>
      <Text size="xs" c="dimmed" mih="1.2em">
        {delta === null || delta === 0 ? '' : say(texts.before, { delta: deltas.format(delta / 100) })}
      </Text>
    </Paper>
  )
}

const LIST_TIMES: Readonly<Record<Range, Time>> = {
  '24h': '24h',
  '7d': '7d',
  '30d': '30d',
  '90d': '365d',
  '365d': '365d',
  all: '',
}

function Reasons({ reasons, range }: { readonly reasons: Statistics['failure_reasons']; readonly range: Range }) {
  if (reasons.length === 0) return <Text c="dimmed">{texts.reasonsNone}</Text>
  return (
    <Stack gap="sm">
      {reasons
        .map((row) => ({ ...row, label: reasonText(row.reason, row.label) }))
        .map(({ reason, label, count: times, share }) => (
          <div key={reason}>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              {reason === '' ? (
                <Text size="sm">{label}</Text>
              ) : (
                <Anchor
                  component={Link}
                  size="sm"
                  underline="hover"
                  href={addressOf({ reason_code: reason, time: LIST_TIMES[range], visibility: 'all', domain: 'all' })}
                  aria-label={say(texts.showReason, { reason: label })}
                >
                  {label}
                </Anchor>
              )}
              <Text size="sm" c="dimmed">
                {say(texts.reasonCount, { n: times })}
              </Text>
            </Group>
            <Progress value={share} size="sm" color="red.7" aria-label={label} />
          </div>
        ))}
    </Stack>
  )
}

function Routes({ routes }: { readonly routes: Statistics['routes'] }) {
  const names = useNames()
  if (routes.length === 0) return <Text c="dimmed">{texts.routesNone}</Text>
  return (
    <Stack gap="sm">
      {routes.map(({ source, destination, volume, success_rate: rate }) => (
        <div key={`${source} ${destination}`}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm">
              <ServiceMark provider={source} size={16} /> {names.account(source)} →{' '}
              <ServiceMark provider={destination} size={16} /> {names.account(destination)}
            </Text>
            <Text size="sm" c="dimmed">
              {say(texts.routeCount, { n: volume })} · {numbers.format(rate)} %
            </Text>
          </Group>
          <Progress
            value={rate}
            size="sm"
            color="green.7"
            aria-label={`${names.account(source)} → ${names.account(destination)}`}
          />
        </div>
      ))}
    </Stack>
  )
}
