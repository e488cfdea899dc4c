// Setup guide: run the plan and show the result.
import { Alert, Anchor, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconHome, IconReportAnalytics } from '@tabler/icons-react'
import { Link, useLocation } from 'wouter'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/query.ts'
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
const EVERY_HOURS = 6

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
  const [, navigate] = useLocation()
  const schedule = useRead(['schedule', 'settings'], 'GET /api/scheduling')
  const hasSchedule = schedule.data?.enabled === true
  const [isAutomatic, setAutomatic] = useState(true)
  const save = useChange('POST /api/scheduling', { refresh: [['schedule']] })

  async function finish() {
    try {
      if (isAutomatic && schedule.data !== undefined && !hasSchedule)
        await save.mutateAsync({ body: { enabled: true, mode: 'every_n_hours', every_n_hours: EVERY_HOURS } })
      navigate('/')
    } catch (problem) {
      setError(problem)
    }
  }
  const { color, title, text } = endOf(run)
  const Icon = color === 'green' ? IconCheck : IconAlertTriangle
  const isDone = color === 'green'
  return (
    <Stack>
      <Alert color={color} icon={<Icon aria-hidden />} title={title} role="status">
        {text}
      </Alert>
      {error === null ? null : <Failure error={error} />}
      {schedule.data === undefined || hasSchedule ? null : (
        <Switch
          size="md"
          label={texts.automatic}
          description={texts.automaticText}
          checked={isAutomatic}
          onChange={(event) => setAutomatic(event.currentTarget.checked)}
        />
      )}
      <Group className="wizard-bar">
        <Button
          leftSection={<IconHome size={16} aria-hidden />}
          loading={save.isPending}
          disabled={schedule.isPending}
          onClick={() => void finish()}
        >
          {texts.finish}
        </Button>
        {isDone || pairId === null ? null : (
          <Button
            variant="default"
            onClick={() => void startRun({ pair_id: pairId }).then((runId) => goTo({ runId }), setError)}
          >
            {texts.again}
          </Button>
        )}
        <Button
          component={Link}
          href={`/runs/${run.run_id}`}
          variant="default"
          leftSection={<IconReportAnalytics size={16} aria-hidden />}
        >
          {texts.report}
        </Button>
        <Anchor component={Link} href="/schedule" size="sm">
          {texts.schedule}
        </Anchor>
      </Group>
    </Stack>
  )
}

function endOf(run: Run): { readonly color: string; readonly title: string; readonly text: string } {
  if (run.outcome === 'synced')
    return {
      color: 'green',
      title: texts.done,
      text: say(texts.doneText, { changes: changesText(run), duration: durationText(run.duration_sec) }),
    }
  if (run.outcome === 'partly') return { color: 'orange', title: texts.partial, text: texts.partialText }
  if (run.outcome === 'cancelled') return { color: 'yellow', title: texts.cancelled, text: texts.cancelledText }
  return { color: 'red', title: texts.failed, text: texts.failedText }
}
