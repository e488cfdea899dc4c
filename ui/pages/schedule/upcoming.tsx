// The runs after the next one, in the local time zone.
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Answer } from '../../api/client.ts'
import { timeAhead } from '../../parts/values/time-text.tsx'
import { schedule as texts } from '../../texts/en/schedule.ts'
import { locale } from '../../texts/language.ts'

export type Run = Answer<'GET /api/scheduling/next'>['upcoming'][number]

interface UpcomingProps {
  readonly upcoming: readonly Run[]
  readonly pairs: Answer<'GET /api/pairs'>
}

const EXACT = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
})
const OTHER: Readonly<Record<string, string>> = {
  capture: texts.upcoming.capture,
  backup: texts.upcoming.backup,
  workflow: texts.upcoming.workflow,
}

export function Upcoming({ upcoming, pairs }: UpcomingProps) {
  const { title, waiting } = texts.upcoming
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      <Stack component="ol" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {upcoming.map((run) => (
          <Group
            key={`${run.run_at} ${run.kind} ${run.job_id} ${run.pair_id}`}
            component="li"
            justify="space-between"
            gap="xs"
          >
            <Text size="sm">
              <time dateTime={new Date(run.run_at * 1_000).toISOString()}>{EXACT.format(run.run_at * 1_000)}</time> ·{' '}
              {runName(run, pairs)}
            </Text>
            <Text size="sm" c="dimmed">
              {run.waiting ? waiting : timeAhead(run.run_at * 1_000)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}

export function runName({ kind, pair_id: id }: Run, pairs: UpcomingProps['pairs']): string {
  return OTHER[kind] ?? pairs.find((pair) => pair.id === id)?.name ?? texts.upcoming.allPairs
}
