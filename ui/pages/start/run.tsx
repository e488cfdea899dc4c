// Setup guide: run the plan and show the result.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCalendarTime, IconCheck, IconHome, IconReportAnalytics } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { changesText, durationText } from '../../parts/runs/run-text.ts'
import { LiveRunCard } from '../../parts/runs/live-run-card.tsx'
import { start } from '../../texts/en/start.ts'
import { say } from '../../texts/say.ts'
import { startRun, useRun } from './use-run.ts'
import type { GoTo, Place } from './steps.ts'

type Run = Answer<'GET /api/runs/{run_id}'>['run']

const { run: texts } = start

export function RunStep({ place, goTo }: { readonly place: Place; readonly goTo: GoTo }) {
  const { query, live, isThis } = useRun(place.runId as string)
  return (
    <QueryView query={query} rows={5}>
      {({ run }) =>
        run.running ? (
          <Stack>
            <Text c="dimmed">{texts.running}</Text>
            {isThis && live.isRunning ? <LiveRunCard live={live} /> : <Loading rows={3} />}
          </Stack>
        ) : (
          <Finished run={run} place={place} goTo={goTo} />
        )
      }
    </QueryView>
  )
}

function Finished({ run, place: { pairId }, goTo }: { readonly run: Run; readonly place: Place; readonly goTo: GoTo }) {
  const [error, setError] = useState<unknown>(null)
  const { color, title, text } = endOf(run)
  const Icon = color === 'green' ? IconCheck : IconAlertTriangle
  const isDone = color === 'green'
  return (
    <Stack>
      <Alert color={color} icon={<Icon aria-hidden />} title={title} role="status">
        {text}
      </Alert>
      {error === null ? null : <Failure error={error} />}
      <Group>
        {isDone || pairId === null ? null : (
          <Button onClick={() => void startRun({ pair_id: pairId }).then((runId) => goTo({ runId }), setError)}>
            {texts.again}
          </Button>
        )}
        <Button
          component={Link}
          href="/"
          variant={isDone ? 'filled' : 'default'}
          leftSection={<IconHome size={16} aria-hidden />}
        >
          {texts.home}
        </Button>
        <Button
          component={Link}
          href="/schedule"
          variant="default"
          leftSection={<IconCalendarTime size={16} aria-hidden />}
        >
          {texts.schedule}
        </Button>
        <Button
          component={Link}
          href={`/runs/${run.run_id}`}
          variant="default"
          leftSection={<IconReportAnalytics size={16} aria-hidden />}
        >
          {texts.report}
        </Button>
      </Group>
    </Stack>
  )
}

function endOf(run: Run): { readonly color: string; readonly title: string; readonly text: string } {
  if (run.result === 'ok')
    return {
      color: 'green',
      title: texts.done,
      text: say(texts.doneText, { changes: changesText(run), duration: durationText(run.duration_sec) }),
    }
  if (run.result === 'partial') return { color: 'orange', title: texts.partial, text: texts.partialText }
  if (run.result === 'cancelled') return { color: 'yellow', title: texts.cancelled, text: texts.cancelledText }
  return { color: 'red', title: texts.failed, text: texts.failedText }
}
