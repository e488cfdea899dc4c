// Number of changes per day.
import { Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Answer } from '../../api/client.ts'
import { nowAtServiceMs } from '../../api/clock.ts'
import { BarChart, dayColumn } from '../../parts/charts/bar-chart.tsx'
import { home } from '../../texts/en/home.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import { activityOf, STATES } from './days.ts'

const { activity: texts } = home
const CHART_HEIGHT = 140
const COLORS = { in_sync: 'green.7', need_you: 'orange.7', cannot_reach: 'grape.7', failed: 'red.7' } as const

export function Activity({ query: { data } }: { readonly query: UseQueryResult<Answer<'GET /api/runs'>, Error> }) {
  const days = useMemo(() => (data === undefined ? null : activityOf(data, nowAtServiceMs())), [data])
  const sum = (name: 'added' | 'updated' | 'removed') => (days ?? []).reduce((all, day) => all + day[name], 0)
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <div>
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        <Text size="sm" c="dimmed" mih={20}>
          {days === null
            ? ' '
            : say(texts.sum, {
                added: sum('added'),
                updated: sum('updated'),
                removed: sum('removed'),
                days: days.length,
              })}
        </Text>
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Paper withBorder p="md">
          <Text fw={500} mb="xs">
            {texts.text}
          </Text>
          {days === null ? (
            <Skeleton h={CHART_HEIGHT + 56} />
          ) : (
            <BarChart
              label={texts.text}
              columnLabel={texts.day}
              height={CHART_HEIGHT}
              columns={days.map((day) => dayColumn(day.at, [day.added, day.updated, day.removed]))}
              series={[
                { label: texts.added, color: 'playhead.6' },
                { label: texts.updated, color: 'cyan.7' },
                { label: texts.removed, color: 'orange.6' },
              ]}
            />
          )}
        </Paper>
        <Paper withBorder p="md">
          <Text fw={500} mb="xs">
            {texts.runsTitle}
          </Text>
          {days === null ? (
            <Skeleton h={CHART_HEIGHT + 56} />
          ) : (
            <BarChart
              label={texts.runsTitle}
              columnLabel={texts.day}
              height={CHART_HEIGHT}
              columns={days.map((day) =>
                dayColumn(
                  day.at,
                  STATES.map((state) => day.runs[state]),
                ),
              )}
              series={STATES.map((state) => ({ label: runs.stateNames[state], color: COLORS[state] }))}
            />
          )}
        </Paper>
      </SimpleGrid>
    </Stack>
  )
}
