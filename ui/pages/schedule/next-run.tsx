// The time of the next run, or why there is none.
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Answer } from '../../api/client.ts'
import { StatusBadge, type Tone } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { schedule as texts } from '../../texts/en/schedule.ts'
import { say } from '../../texts/say.ts'
import { locale } from '../../texts/language.ts'
import { type Run, runName } from './upcoming.tsx'

type Status = Answer<'GET /api/scheduling/status'>

const EXACT = new Intl.DateTimeFormat(locale, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  hour: 'numeric',
  minute: '2-digit',
})

interface NextRunProps {
  readonly status: Status
  /** The first of the upcoming runs. */
  readonly run: Run | undefined
  readonly pairs: Answer<'GET /api/pairs'>
}

export function NextRun({ status, run, pairs }: NextRunProps) {
  const { state } = texts
  const { title, text } = statusText(status)
  const about =
    title !== null || run === undefined ? [] : [runName(run, pairs), ...(run.waiting ? [texts.upcoming.waiting] : [])]
  return (
    <Paper withBorder p="md" component="section" aria-label={state.next}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {state.next}
          </Title>
          <State status={status} />
        </Group>
        <Text size="xl" fw={600}>
          {title ?? <TimeText isAhead at={status.next_run_at * 1_000} />}
        </Text>
        <Text c="dimmed">{[text, ...about].join(' · ')}</Text>
        <Text size="sm" c="dimmed">
          {state.last}: <TimeText at={status.last_run_at * 1_000} never={state.never} />
          {status.last_run_ok === false && status.last_error !== ''
            ? ` · ${say(state.lastFailed, { error: status.last_error })}`
            : ''}
        </Text>
      </Stack>
    </Paper>
  )
}

function statusText({ paused, effective_mode: mode, next_run_at: nextAt }: Status): {
  readonly title: string | null
  readonly text: string
} {
  const { state } = texts
  if (mode === 'disabled') return { title: state.off, text: state.offText }
  if (paused) return { title: state.paused, text: state.pausedText }
  return nextAt === 0
    ? { title: state.nothing, text: state.nothingText }
    : { title: null, text: EXACT.format(nextAt * 1_000) }
}

function State({ status: { paused, effective_mode: mode, active_run_id: runId } }: { readonly status: Status }) {
  const [tone, label]: readonly [Tone, string] =
    runId !== null
      ? ['busy', texts.state.running]
      : mode === 'disabled'
        ? ['idle', texts.kinds.off.title]
        : paused
          ? ['warn', texts.state.paused]
          : ['good', texts.state.on]
  return <StatusBadge tone={tone} label={label} />
}
