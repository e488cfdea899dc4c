// Statistics of plays and ratings for one year or all years.
import { Button, Group, Paper, Select, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { IconChartBar, IconPhotoDown } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useDrawn } from '../../api/drawn.ts'
import { useRead } from '../../api/query.ts'
import { BarChart } from '../../parts/charts/bar-chart.tsx'
import { notifyFailure } from '../../parts/dialogs/notify.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { askAgain, timeZone } from '../../parts/titles/ask-again.ts'
import { PersonFilter } from '../../parts/persons/person-filter.tsx'
import { useKnownPerson } from '../../parts/persons/persons.ts'
import { featureName, useNamed, useNames } from '../../parts/values/names.ts'
import { statistics as texts } from '../../texts/en/statistics.ts'
import { say } from '../../texts/say.ts'
import { BarList } from '../../parts/charts/bar-list.tsx'
import { Calendar } from './calendar.tsx'
import { monthName, timeText, weekdayName, hourName } from './names.ts'
import { Tiles } from './tiles.tsx'
import { TopTitles } from './top-titles.tsx'
import { ServiceMark, serviceOption } from '../../parts/values/service-mark.tsx'
import type { Statistics } from './data.ts'

const COLOR = 'playhead.6'
const YEAR = /^\d{4}$/
const ALL_YEARS = 'all'

interface Filters {
  /** A year, or `all`. */
  readonly year: string
  readonly account: string | null
  /** Id of a person. */
  readonly person: string | null
}

const NO_FILTERS: Filters = { year: String(new Date().getFullYear()), account: null, person: null }

export default function StatisticsPage() {
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS)
  const { account } = filters
  const person = useKnownPerson(filters.person)
  const year = YEAR.test(filters.year) ? Number(filters.year) : null
  const names = useNames()
  const read = useRead(
    ['statistics'],
    'GET /api/statistics',
    { query: { tz: timeZone, year: year ?? undefined, account: account ?? undefined, person } },
    { keepPrevious: true, refetchInterval: askAgain },
  )
  const query = useNamed(read)
  const data = useDrawn(query.data)
  const years = [...new Set([...(data?.years ?? []), ...(year === null ? [] : [year])])].sort((a, b) => b - a)
  return (
    <Page
      title={texts.title}
      text={texts.intro}
      actions={data === undefined || data.totals.plays === 0 ? null : <SaveButton data={data} year={year} />}
    >
      <Group gap="sm" align="flex-end">
        <Select
          label={texts.year}
          placeholder={texts.allYears}
          clearable
          data={years.map(String)}
          value={year === null ? null : String(year)}
          onChange={(value) => setFilters({ ...filters, year: value ?? ALL_YEARS })}
          style={{ flex: '0 1 10rem' }}
        />
        <PersonFilter
          value={filters.person}
          onChange={(value) => setFilters({ ...filters, person: value })}
          style={{ flex: '0 1 12rem' }}
        />
        <Select
          label={texts.account}
          placeholder={texts.allAccounts}
          clearable
          data={(data?.services ?? []).map(({ provider, instance }) => ({
            value: `${provider}@${instance}`,
            label: names.account(provider, instance),
          }))}
          renderOption={serviceOption}
          value={account}
          onChange={(value) => setFilters({ ...filters, account: value })}
          style={{ flex: '0 1 16rem' }}
        />
      </Group>
      <QueryView
        query={query}
        rows={8}
        isEmpty={({ years: all, ratings }) => all.length === 0 && ratings.every(({ count }) => count === 0)}
        empty={<EmptyState icon={IconChartBar} title={texts.none} text={texts.noneText} action={<NextStep />} />}
      >
        {(found) => <Content data={found} year={year} />}
      </QueryView>
    </Page>
  )
}

function Content({ data, year }: { readonly data: Statistics; readonly year: number | null }) {
  const { totals, months, weekdays, hours, top, genres, ratings } = data
  const plays = [{ label: texts.plays, color: COLOR }]
  return (
    <Stack gap="lg">
      <Tiles data={data} />
      <Stack gap="2xs">
        {totals.plays === 0 ? <Text>{texts.nothing}</Text> : null}
        <Notes totals={totals} />
        <UnreadableNotes unreadable={data.unreadable} />
      </Stack>
      {totals.plays === 0 ? null : (
        <>
          <Part title={texts.calendar}>
            <Stack gap="lg">
              {(year === null ? data.years : [year]).map((one) => (
                <Calendar key={one} year={one} days={data.days} isNamed={year === null} />
              ))}
            </Stack>
          </Part>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Part title={texts.months}>
              <BarChart
                label={texts.months}
                columnLabel={texts.month}
                columns={monthsOf(months, year)}
                series={plays}
              />
            </Part>
            <Part title={texts.hoursOfDay}>
              <BarChart
                label={texts.hoursOfDay}
                columnLabel={texts.hour}
                columns={hours.map((one) => ({
                  name: hourName(one.hour),
                  mark: String(one.hour),
                  values: [one.plays],
                }))}
                series={plays}
              />
            </Part>
            <Part title={texts.weekdays}>
              <BarList
                label={texts.weekdays}
                rows={weekdays.map((one) => ({
                  name: weekdayName(one.weekday),
                  value: one.plays,
                  text: say(texts.ofPlays, { n: one.plays }),
                }))}
              />
            </Part>
            <Part title={texts.genres}>
              {genres.items.length === 0 ? (
                <Text size="sm" c="dimmed">
                  {texts.noGenres}
                </Text>
              ) : (
                <Stack gap="sm">
                  <BarList
                    label={texts.genres}
                    rows={genres.items
                      .slice(0, 10)
                      .map((one) => ({ name: one.name, value: one.plays, text: say(texts.ofPlays, { n: one.plays }) }))}
                  />
                  <Text size="xs" c="dimmed">
                    {say(texts.genresOf, { known: genres.known_plays, plays: totals.plays })}
                  </Text>
                </Stack>
              )}
            </Part>
          </SimpleGrid>
          {top.shows.length === 0 ? null : (
            <Part title={texts.shows}>
              <TopTitles titles={top.shows} kind="show" label={texts.shows} />
            </Part>
          )}
          {top.movies.length === 0 ? null : (
            <Part title={texts.movies}>
              <TopTitles titles={top.movies} kind="movie" label={texts.movies} />
            </Part>
          )}
        </>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Part title={texts.ratings}>
          {ratings.every(({ count }) => count === 0) ? (
            <Text size="sm" c="dimmed">
              {texts.noRatings}
            </Text>
          ) : (
            <BarList
              label={texts.ratings}
              rows={ratings
                .toReversed()
                .map((one) => ({ name: String(one.rating), value: one.count, text: String(one.count) }))}
            />
          )}
        </Part>
        <Part title={texts.services}>
          <Services services={data.services} />
        </Part>
      </SimpleGrid>
    </Stack>
  )
}

function Notes({ totals }: { readonly totals: Statistics['totals'] }) {
  const { known_plays: known, estimate_minutes: estimate } = totals.minutes_method
  const notes = [
    totals.plays === 0
      ? ''
      : say(texts.method, { known, plays: totals.plays, movie: estimate.movie, episode: estimate.episode }),
    totals.date_only === 0 ? '' : say(texts.dateOnly, { n: totals.date_only }),
    totals.undated === 0 ? '' : say(texts.undated, { n: totals.undated }),
  ].filter((note) => note !== '')
  return notes.map((note) => (
    <Text key={note} size="sm" c="dimmed">
      {note}
    </Text>
  ))
}

function UnreadableNotes({ unreadable }: Pick<Statistics, 'unreadable'>) {
  const { account } = useNames()
  return unreadable.map(({ provider, instance, feature, rows }) => (
    <Text key={`${provider}@${instance} ${feature}`} size="sm" c="dimmed">
      {say(texts.unreadable, { n: rows, account: account(provider, instance), feature: featureName(feature) })}
    </Text>
  ))
}

function Services({ services }: { readonly services: Statistics['services'] }) {
  const { account } = useNames()
  const columns = texts.serviceColumns
  const numbers = ['plays', 'watched', 'watchlist', 'ratings', 'progress'] as const
  return (
    <Table.ScrollContainer minWidth={460} type="native" tabIndex={0} role="group" aria-label={texts.services}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{columns.service}</Table.Th>
            {numbers.map((name) => (
              <Table.Th key={name} ta="right">
                {columns[name]}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {services.map((one) => (
            <Table.Tr key={`${one.provider}@${one.instance}`}>
              <Table.Th scope="row" fw={500}>
                <Group gap="xs" wrap="nowrap">
                  <ServiceMark provider={one.provider} />
                  {account(one.provider, one.instance)}
                </Group>
              </Table.Th>
              {numbers.map((name) => (
                <Table.Td key={name} ta="right">
                  {say('{n}', { n: one[name] })}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function SaveButton({ data, year }: { readonly data: Statistics; readonly year: number | null }) {
  const [isBusy, setBusy] = useState(false)
  async function save() {
    setBusy(true)
    try {
      const { savePicture } = await import('./picture.ts')
      await savePicture(data, year, timeText(data.totals.minutes))
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button leftSection={<IconPhotoDown size={16} aria-hidden />} loading={isBusy} onClick={() => void save()}>
      {texts.save}
    </Button>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title} miw={0}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

/** All twelve months of a year, including those without plays. */
function monthsOf(months: Statistics['months'], year: number | null) {
  if (year === null) return months.map(({ month, plays }) => columnOf(month, plays, true))
  const known = new Map(months.map(({ month, plays }) => [month, plays]))
  return Array.from({ length: 12 }, (_, index) => {
    const month = `${year}-${String(index + 1).padStart(2, '0')}`
    return columnOf(month, known.get(month) ?? 0, false)
  })
}

function columnOf(month: string, plays: number, withYear: boolean) {
  return { name: monthName(month, true), mark: monthName(month, withYear), values: [plays] }
}
